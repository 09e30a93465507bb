// Options of live views, with the tests that verify their effects.
import { type Row, coveredBy } from './row.ts';

export const liveRows: readonly Row[] = [
  ...coveredBy('live/options', {
    'type and quality apply to the frame of a static page': 'Browserless.liveURL:{type,quality}',
    'compressed: a slow viewer gets lower-quality frames, unless it is false': 'Browserless.liveURL:compressed',
    'emulateComponents: false passes the click to the page itself': 'Browserless.liveURL:emulateComponents',
    'interactable is an alias of interactive; timeout and instructions are sent to the viewer':
      'Browserless.liveURL:{interactable,timeout,instructions}',
  }),
  ...coveredBy('live/rest', {
    'the fields of the body apply, and the result can be read after the view has ended':
      'live:{interactable,resizable,showBrowserInterface,instructions,type}',
    'the body is optional; invalid bodies, tokens, ids and content types are rejected': 'live:{timeout,quality}',
  }),
  ...coveredBy('live/views', {
    'view-only: no message except acknowledgments has any effect': 'Browserless.liveURL:interactive',
    'without its own size, the page gets the size of its window back; resizable: false does not change it':
      'Browserless.liveURL:resizable',
    'tabs and the address bar work only with showBrowserInterface': 'Browserless.liveURL:showBrowserInterface',
    'each end is reported once, with its reason, to the client and as a message to the viewer':
      'Browserless.{liveURL:timeout,closeLiveURL:liveURLId}',
  }),
];
