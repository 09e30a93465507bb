/** Groups the BrowserQL operations by purpose. test/docs/reference.test.ts checks that each is in one group. */

export interface OperationGroup {
  title: string;
  icon: 'globe' | 'person' | 'table' | 'clock' | 'swap' | 'users';
  /** In the order in which most scripts use them. */
  names: readonly string[];
}

export const operationGroups: readonly OperationGroup[] = [
  { title: 'Navigate', icon: 'globe', names: ['goto', 'back', 'forward', 'reload', 'content', 'switchToWindow'] },
  {
    title: 'Act',
    icon: 'person',
    names: [
      'click',
      'type',
      'loadSecret',
      'select',
      'checkbox',
      'hover',
      'scroll',
      'evaluate',
      'addScriptTag',
      'addStyleTag',
      'solve',
      'solveImageCaptcha',
      'verify',
    ],
  },
  {
    title: 'Read',
    icon: 'table',
    names: ['text', 'html', 'mapSelector', 'querySelector', 'querySelectorAll', 'title', 'url', 'screenshot', 'pdf'],
  },
  {
    title: 'Wait',
    icon: 'clock',
    names: ['waitForSelector', 'waitForNavigation', 'waitForRequest', 'waitForResponse', 'waitForTimeout'],
  },
  {
    title: 'Network',
    icon: 'swap',
    names: ['cookies', 'setExtraHTTPHeaders', 'userAgent', 'reject', 'proxy', 'request', 'response'],
  },
  {
    title: 'Session',
    icon: 'users',
    names: [
      'reconnect',
      'liveURL',
      'stopSessionRecording',
      'if',
      'ifnot',
      'viewport',
      'emulateMediaType',
      'javaScriptEnabled',
      'preferences',
      'browser',
      'version',
    ],
  },
];
