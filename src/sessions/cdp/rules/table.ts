// The table of the Chrome DevTools Protocol: what happens to each method that a client sends. A method that is not here
// fails like an unknown method in a browser, so that a newer browser does not open a way around the rules. Rows follow
// one question: does the method reach files, ports, programs or other users of the server, or only the browser? The
// file is long because it is one table.

import { newTarget, openPage, openUrl } from './address-rules.ts';
import { keyEvent, newContext, screenRecording, startTracing } from './browser-rules.ts';
import { answered, changed, checked, type Exception, refused } from './decision.ts';
import { downloads, draggedData, inputFiles } from './file-rules.ts';
import type { Params, Verdict } from './verdict.ts';

/** Names of methods without their domain, separated by whitespace. */
type Names = string;

/**
 * The methods of a domain, each listed once; those of `virtual`, `scoped` and `contextRules` are in another list too.
 */
export interface Domain {
  /** Pass in all scopes. */
  readonly all?: Names;
  /** Decision on the methods of `all` in a context; they pass by default. */
  readonly inContext?: Exception;
  /** Pass for the client of a whole browser; refused in the other scopes. */
  readonly own?: Names;
  /** Those of `own` and `ownRules` with the same decision in a virtual browser, where they reach no other client. */
  readonly virtual?: Names;
  /** Those of `own` and `ownRules` that in a context act on the client's own contexts and pages. */
  readonly scoped?: Names;
  /** Decisions that are the same in all scopes. */
  readonly rules?: Readonly<Record<Names, Exception>>;
  /** Decisions for the client of a whole browser; the methods are refused in the other scopes. */
  readonly ownRules?: Readonly<Record<Names, Exception>>;
  /** Decisions in a context, in place of those above. */
  readonly contextRules?: Readonly<Record<Names, Exception>>;
}

/**
 * Removes the parameter that could name a different context; the command then acts on the storage of the page's
 * context.
 */
function ownStorage(params: Params): Verdict {
  const { browserContextId: _, ...own } = params;
  return { pass: own };
}

const likeNavigate = checked(openUrl, 'The URL is checked as in Page.navigate.');
const toOwnDirectory = changed(
  downloads,
  "Downloads are saved in the session's directory, regardless of downloadPath.",
);
const noExtensions = refused('Extensions are not available to clients.');

export const domains: Readonly<Record<string, Domain>> = {
  Accessibility: {
    all: `disable enable getAXNodeAndAncestors getChildAXNodes getFullAXTree getPartialAXTree getRootAXNode
      queryAXTree`,
  },
  Ads: { own: `getAdMetrics getAdScripts`, virtual: `getAdMetrics getAdScripts` },
  Animation: {
    all: `disable enable getCurrentTime getPlaybackRate releaseAnimations resolveAnimation seekAnimations setPaused
      setPlaybackRate setTiming`,
  },
  Audits: { all: `checkContrast checkFormsIssues disable enable getEncodedResponse` },
  Autofill: { own: `disable enable setAddresses trigger`, virtual: `disable enable setAddresses trigger` },
  BackgroundService: { all: `clearEvents setRecording startObserving stopObserving` },
  BluetoothEmulation: {
    own: `addCharacteristic addDescriptor addService disable enable removeCharacteristic removeDescriptor removeService
      setSimulatedCentralState simulateAdvertisement simulateCharacteristicOperationResponse
      simulateDescriptorOperationResponse simulateGATTDisconnection simulateGATTOperationResponse
      simulatePreconnectedPeripheral`,
  },
  Browser: {
    own: `addMockCamera addPrivacySandboxEnrollmentOverride cancelDownload close crash crashGpuProcess
      getGlobalPrivacyControl getHistogram getHistograms getVersion getWindowBounds getWindowForTarget
      grantPermissions resetPermissions setContentsSize setDockTile setGlobalPrivacyControl setPermission
      setWindowBounds`,
    virtual: `cancelDownload close getVersion getWindowBounds getWindowForTarget grantPermissions resetPermissions
      setContentsSize setDownloadBehavior setPermission setWindowBounds`,
    scoped: `close getVersion getWindowForTarget grantPermissions resetPermissions setDownloadBehavior setPermission`,
    ownRules: {
      executeBrowserCommand: refused("It opens parts of the browser's window; use the commands of Page and Target."),
      getBrowserCommandLine: refused("It reveals the server's paths and switches; use Browser.getVersion."),
      setDownloadBehavior: toOwnDirectory,
    },
  },
  CSS: {
    all: `addRule collectClassNames createStyleSheet disable enable forcePositionTryOption forcePseudoState
      forceStartingStyle getAnimatedStylesForNode getBackgroundColors getComputedStyleForNode
      getEnvironmentVariables getInlineStylesForNode getLayersForNode getLocationForSelector getLonghandProperties
      getMatchedStylesForNode getMediaQueries getPlatformFontsForNode getStyleSheetText resolveValues
      setContainerQueryConditionText setContainerQueryText setEffectivePropertyValueForNode setKeyframeKey
      setLocalFontsEnabled setMediaText setNavigationText setPropertyRulePropertyName setRuleSelector setScopeText
      setStyleSheetText setStyleTexts setSupportsText startRuleUsageTracking stopRuleUsageTracking
      takeComputedStyleUpdates takeCoverageDelta trackComputedStyleUpdates trackComputedStyleUpdatesForNode`,
  },
  CacheStorage: { all: `deleteCache deleteEntry requestCachedResponse requestCacheNames requestEntries` },
  Cast: {
    rules: {
      'disable enable setSinkToUse startDesktopMirroring startTabMirroring stopCasting': refused(
        "It looks for devices on the server's network.",
      ),
    },
  },
  Console: { all: `clearMessages disable enable` },
  CrashReportContext: { own: `getEntries`, virtual: `getEntries` },
  DOM: {
    all: `clearTextMarkers collectClassNamesFromSubtree copyTo describeNode disable discardSearchResults enable focus
      forceShowInterest forceShowPopover getAnchorElement getAttributes getBoxModel getContainerForNode
      getContentQuads getDetachedDomNodes getDocument getElementByRelation getFileInfo getFlattenedDocument
      getFrameOwner getImplicitAnchorCandidates getNodeForLocation getNodesForSubtreeByStyle getNodeStackTraces
      getOuterHTML getQueryingDescendantsForContainer getRelayoutBoundary getSearchResults getTopLayerElements
      hideHighlight highlightNode highlightRect markUndoableState moveTo performSearch pushNodeByPathToFrontend
      pushNodesByBackendIdsToFrontend querySelector querySelectorAll redo removeAttribute removeNode
      requestChildNodes requestNode resolveNode scrollIntoViewIfNeeded setAttributesAsText setAttributeValue
      setInspectedNode setNodeName setNodeStackTracesEnabled setNodeValue setOuterHTML setTextMarker undo`,
    rules: {
      setFileInputFiles: checked(inputFiles, 'Pages receive only files of the session, and files in SHARED_FILE_DIRS.'),
    },
  },
  DOMDebugger: {
    all: `getEventListeners removeDOMBreakpoint removeEventListenerBreakpoint removeInstrumentationBreakpoint
      removeXHRBreakpoint setBreakOnCSPViolation setDOMBreakpoint setEventListenerBreakpoint
      setInstrumentationBreakpoint setXHRBreakpoint`,
  },
  DOMSnapshot: { all: `captureSnapshot disable enable getSnapshot` },
  DOMStorage: { all: `clear disable enable getDOMStorageItems removeDOMStorageItem setDOMStorageItem` },
  Database: {
    own: `disable enable executeSQL getDatabaseTableNames`,
    virtual: `disable enable executeSQL getDatabaseTableNames`,
  },
  Debugger: {
    all: `continueToLocation disable disassembleWasmModule enable evaluateOnCallFrame getPossibleBreakpoints
      getScriptSource getStackTrace getWasmBytecode nextWasmDisassemblyChunk pause pauseOnAsyncCall removeBreakpoint
      restartFrame resume searchInContent setAsyncCallStackDepth setBlackboxedRanges setBlackboxExecutionContexts
      setBlackboxPatterns setBreakpoint setBreakpointByUrl setBreakpointOnFunctionCall setBreakpointsActive
      setInstrumentationBreakpoint setPauseOnExceptions setReturnValue setScriptSource setSkipAllPauses
      setVariableValue stepInto stepOut stepOver`,
  },
  DeviceAccess: {
    own: `cancelPrompt disable enable`,
    virtual: `cancelPrompt disable enable`,
    rules: {
      selectPrompt: refused("It connects pages to the server's devices."),
    },
  },
  DeviceOrientation: { all: `clearDeviceOrientationOverride setDeviceOrientationOverride` },
  DigitalCredentials: { own: `setVirtualWalletBehavior` },
  Emulation: {
    all: `canEmulate clearDeviceMetricsOverride clearDevicePostureOverride clearDisplayFeaturesOverride
      clearGeolocationOverride clearIdleOverride getOverriddenSensorInformation getScreenInfos resetPageScaleFactor
      setAutoDarkModeOverride setAutomationOverride setCPUPerformanceOverride setCPUThrottlingRate
      setDataSaverOverride setDefaultBackgroundColorOverride setDeviceMetricsOverride setDevicePostureOverride
      setDisabledImageTypes setDisplayFeaturesOverride setDocumentCookieDisabled setEmitTouchEventsForMouse
      setEmulatedMedia setEmulatedOSTextScale setEmulatedVisionDeficiency setFocusEmulationEnabled
      setGeolocationOverride setHardwareConcurrencyOverride setIdleOverride setLocaleOverride setNavigatorOverrides
      setPageScaleFactor setPressureSourceOverrideEnabled setPressureStateOverride setSafeAreaInsetsOverride
      setScriptExecutionDisabled setScrollbarsHidden setSensorOverrideEnabled setSensorOverrideReadings
      setSmallViewportHeightDifferenceOverride setTimezoneOverride setTouchEmulationEnabled setUserAgentOverride
      setVirtualKeyboardGeometryOverride setVirtualTimePolicy setVisibleSize`,
    own: `addScreen removeScreen setPrimaryScreen updateScreen`,
  },
  EventBreakpoints: { all: `disable removeInstrumentationBreakpoint setInstrumentationBreakpoint` },
  Extensions: {
    rules: {
      'getExtensions loadUnpacked triggerAction uninstall': noExtensions,
      'clearStorageItems getStorageItems removeStorageItems setStorageItems': noExtensions,
    },
  },
  FedCm: { all: `clickDialogButton disable dismissDialog enable openUrl resetCooldown selectAccount` },
  Fetch: {
    all: `continueResponse continueWithAuth disable enable failRequest fulfillRequest getResponseBody
      takeResponseBodyAsStream`,
    rules: {
      continueRequest: likeNavigate,
    },
  },
  FileSystem: { own: `getDirectory`, virtual: `getDirectory` },
  FindInPage: { own: `findFirst findNext findPrev stop`, virtual: `findFirst findNext findPrev stop` },
  HeadlessExperimental: { own: `beginFrame disable enable` },
  HeapProfiler: {
    all: `addInspectedHeapObject collectGarbage disable enable getHeapObjectId getObjectByHeapObjectId
      getSamplingProfile startSampling startTrackingHeapObjects stopSampling stopTrackingHeapObjects
      takeHeapSnapshot`,
  },
  IO: { all: `close read resolveBlob` },
  IndexedDB: {
    all: `clearObjectStore deleteDatabase deleteObjectStoreEntries disable enable getMetadata requestData
      requestDatabase requestDatabaseNames`,
  },
  Input: {
    all: `cancelDragging dispatchMouseEvent dispatchTouchEvent emulateTouchFromMouseEvent imeSetComposition insertText
      setIgnoreInputEvents setInterceptDrags synthesizePinchGesture synthesizeScrollGesture synthesizeTapGesture`,
    rules: {
      dispatchDragEvent: checked(
        draggedData,
        'Files and URLs are checked as in DOM.setFileInputFiles and Page.navigate.',
      ),
      dispatchKeyEvent: changed(
        keyEvent,
        'In a browser with windows, nativeVirtualKeyCode is removed: keys reach only the page, not the window.',
      ),
    },
  },
  Inspector: { all: `disable enable` },
  LayerTree: {
    all: `compositingReasons disable enable makeSnapshot profileSnapshot releaseSnapshot replaySnapshot
      snapshotCommandLog`,
    own: `loadSnapshot`,
    virtual: `loadSnapshot`,
  },
  Log: { all: `clear disable enable startViolationsReport stopViolationsReport` },
  Media: { all: `disable enable` },
  Memory: {
    own: `forciblyPurgeJavaScriptMemory getAllTimeSamplingProfile getBrowserSamplingProfile getDOMCounters
      getDOMCountersForLeakDetection getSamplingProfile prepareForLeakDetection setPressureNotificationsSuppressed
      simulatePressureNotification startSampling stopSampling`,
    virtual: `forciblyPurgeJavaScriptMemory getAllTimeSamplingProfile getDOMCounters getDOMCountersForLeakDetection
      getSamplingProfile prepareForLeakDetection startSampling stopSampling`,
  },
  Network: {
    all: `canClearBrowserCache canClearBrowserCookies canEmulateNetworkConditions clearAcceptedEncodingsOverride
      clearBrowserCache clearBrowserCookies configureDurableMessages deleteCookies deleteDeviceBoundSession disable
      emulateNetworkConditions emulateNetworkConditionsByRule enable enableDeviceBoundSessions enableReportingApi
      fetchSchemefulSite getAllCookies getCertificate getCookies getRequestPostData getResponseBody
      getResponseBodyForInterception getSecurityIsolationStatus overrideNetworkState replayXHR searchInResponseBody
      setAcceptedEncodings setAttachDebugStack setBlockedURLs setBypassServiceWorker setCacheDisabled setCookie
      setCookieControls setCookies setExtraHTTPHeaders setRequestInterception setUserAgentOverride
      streamResourceContent takeResponseBodyForInterceptionAsStream`,
    rules: {
      'continueInterceptedRequest loadNetworkResource': likeNavigate,
    },
  },
  Overlay: {
    all: `disable enable getGridHighlightObjectsForTest getHighlightObjectForTest getSourceOrderHighlightObjectForTest
      hideHighlight highlightFrame highlightNode highlightQuad highlightRect highlightSourceOrder setInspectMode
      setPausedInDebuggerMessage setShowAdHighlights setShowContainerQueryOverlays setShowDebugBorders
      setShowDisplayCutout setShowFlexOverlays setShowFPSCounter setShowGridOverlays setShowHinge
      setShowHitTestBorders setShowInspectedElementAnchor setShowIsolatedElements setShowLayoutShiftRegions
      setShowPaintRects setShowScrollBottleneckRects setShowScrollSnapOverlays setShowViewportSizeOnResize
      setShowWebVitals setShowWindowControlsOverlay`,
  },
  PWA: {
    own: `getOsAppState`,
    rules: {
      'changeAppUserSettings install launch launchFilesInApp openCurrentPageInApp uninstall': refused(
        'It installs or starts programs on the server; open the URL of the app with Page.navigate.',
      ),
    },
  },
  Page: {
    all: `addScriptToEvaluateOnLoad addScriptToEvaluateOnNewDocument bringToFront captureScreenshot captureSnapshot
      clearCompilationCache clearDeviceMetricsOverride clearDeviceOrientationOverride clearGeolocationOverride close
      crash createIsolatedWorld deleteCookie disable enable generateTestReport getAdScriptAncestry getAdScriptId
      getAnnotatedPageContent getAppId getAppManifest getCookies getFrameTree getInstallabilityErrors
      getLayoutMetrics getManifestIcons getNavigationHistory getOriginTrials getPermissionsPolicyState
      getResourceContent getResourceTree getSiblingSubApps getSpellCheckCustomDictionary getSubApps
      handleJavaScriptDialog navigateToHistoryEntry printToPDF produceCompilationCache reload
      removeScriptToEvaluateOnLoad removeScriptToEvaluateOnNewDocument resetNavigationHistory screencastFrameAck
      searchInResource setAdBlockingEnabled setBypassCSP setDeviceMetricsOverride setDeviceOrientationOverride
      setDocumentContent setFontFamilies setFontSizes setGeolocationOverride setInputVisualization
      setInterceptFileChooserDialog setLifecycleEventsEnabled setPrerenderingAllowed setRPHRegistrationMode
      setSPCTransactionMode setTouchEmulationEnabled setWebLifecycleState startScreencast
      stopLoading stopScreencast stopScreenRecording waitForDebugger`,
    own: `addCompilationCache`,
    virtual: `addCompilationCache setDownloadBehavior`,
    rules: {
      navigate: checked(
        openPage,
        'Opens http, https, data, about:blank, blob and javascript URLs; file URLs with ALLOW_FILE_PROTOCOL.',
      ),
      startScreenRecording: checked(
        screenRecording,
        'With sound only in a process that no other client uses: Chromium may exit when such a recording stops.',
      ),
    },
    ownRules: {
      setDownloadBehavior: toOwnDirectory,
    },
    contextRules: { setDownloadBehavior: answered({}, 'The server decides where downloads go.') },
  },
  Performance: { all: `disable enable getMetrics setTimeDomain` },
  PerformanceTimeline: { all: `enable` },
  Preload: { all: `disable enable` },
  Profiler: {
    all: `disable enable getBestEffortCoverage setSamplingInterval start startPreciseCoverage stop stopPreciseCoverage
      takePreciseCoverage`,
  },
  Runtime: {
    all: `addBinding awaitPromise callFunctionOn compileScript disable discardConsoleEntries enable evaluate
      getExceptionDetails getHeapUsage getIsolateId getProperties globalLexicalScopeNames queryObjects releaseObject
      releaseObjectGroup removeBinding runIfWaitingForDebugger runScript setAsyncCallStackDepth
      setCustomObjectFormatterEnabled setMaxCallStackSizeToCapture terminateExecution`,
  },
  Schema: { all: `getDomains` },
  Security: { all: `disable enable handleCertificateError setIgnoreCertificateErrors setOverrideCertificateErrors` },
  ServiceWorker: {
    all: `deliverPushMessage disable dispatchPeriodicSyncEvent dispatchSyncEvent enable setForceUpdateOnPageLoad
      skipWaiting startWorker stopAllWorkers stopWorker unregister updateRegistration`,
    rules: {
      inspectWorker: refused('It opens a DevTools window; attach to the target of the worker instead.'),
    },
  },
  SmartCardEmulation: {
    own: `disable enable reportBeginTransactionResult reportConnectResult reportDataResult reportError
      reportEstablishContextResult reportGetStatusChangeResult reportListReadersResult reportPlainResult
      reportReleaseContextResult reportStatusResult`,
  },
  Storage: {
    all: `clearCookies clearDataForOrigin clearDataForStorageKey clearPrivateVerificationTokens
      clearSharedStorageEntries clearTrustTokens deletePrivateVerificationToken deleteSharedStorageEntry
      deleteStorageBucket getCookies getInterestGroupDetails getPrivateVerificationTokens
      getPrivateVerificationTokensIssuerConfigs getSharedStorageEntries getSharedStorageMetadata getStorageKey
      getStorageKeyForFrame getTrustTokens getUsageAndQuota overrideQuotaForOrigin resetSharedStorageBudget
      runBounceTrackingMitigations setAttributionReportingLocalTestingMode setAttributionReportingTracking
      setCookies setInterestGroupTracking setPrivateVerificationTokensTracking setSharedStorageEntry
      setSharedStorageTracking setStorageBucketTracking trackCacheStorageForOrigin trackCacheStorageForStorageKey
      trackIndexedDBForOrigin trackIndexedDBForStorageKey untrackCacheStorageForOrigin
      untrackCacheStorageForStorageKey untrackIndexedDBForOrigin untrackIndexedDBForStorageKey`,
    inContext: changed(ownStorage, "Acts on the storage of the page's own context."),
  },
  SystemInfo: {
    own: `getFeatureState getProcessInfo`,
    rules: {
      getInfo: refused("It reveals the server's paths and switches; use Browser.getVersion."),
    },
  },
  Target: {
    own: `activateTarget attachToBrowserTarget attachToTarget autoAttachRelated closeTarget detachFromTarget
      disposeBrowserContext getBrowserContexts getTargetInfo getTargets setAutoAttach setDiscoverTargets`,
    virtual: `activateTarget attachToBrowserTarget attachToTarget autoAttachRelated closeTarget createBrowserContext
      createTarget detachFromTarget disposeBrowserContext getBrowserContexts getTargetInfo getTargets setAutoAttach
      setDiscoverTargets`,
    scoped: `activateTarget attachToTarget closeTarget createBrowserContext createTarget detachFromTarget
      disposeBrowserContext getBrowserContexts getTargetInfo getTargets setAutoAttach setDiscoverTargets`,
    ownRules: {
      createBrowserContext: changed(
        newContext,
        'A proxy is subject to the network rules of the server, without exceptions.',
      ),
      createTarget: checked(newTarget, 'The URL is checked as in Page.navigate.'),
      exposeDevToolsProtocol: refused(
        'It would let pages use the protocol without these rules; use Runtime.addBinding.',
      ),
      'getDevToolsTarget openDevTools': refused(
        'It opens a DevTools window; connect DevTools to the URL of the session.',
      ),
      sendMessageToTarget: refused('Send the command on a flat session: attach with flatten: true.'),
      setRemoteLocations: refused('It connects the browser to ports on other machines.'),
    },
  },
  Tethering: {
    rules: {
      'bind unbind': refused('It opens ports on the server.'),
    },
  },
  Tracing: {
    own: `end getCategories getTrackEventDescriptor recordClockSyncMarker requestMemoryDump`,
    virtual: `end getCategories getTrackEventDescriptor start`,
    ownRules: {
      start: checked(startTracing, 'The system backend and perfettoConfig are refused: they trace the whole machine.'),
    },
  },
  WebAudio: { all: `disable enable getRealtimeData` },
  WebAuthn: {
    all: `addCredential addVirtualAuthenticator clearCredentials disable enable getCredential getCredentials
      removeCredential removeVirtualAuthenticator setAutomaticPresenceSimulation setCredentialProperties
      setResponseOverrideBits setUserVerified`,
  },
  WebMCP: { own: `cancelInvocation disable enable invokeTool`, virtual: `cancelInvocation disable enable invokeTool` },
};
