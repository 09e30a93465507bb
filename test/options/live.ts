// Options of live views, with the tests that observe their effects.
import { type Row, seenBy } from './row.ts';

export const liveRows: readonly Row[] = [
  ...seenBy('live/options', {
    'type and quality: the picture of a page that rests': 'Browserless.liveURL:{type,quality}',
    'compressed: a slow viewer gets worse pictures, unless it is false': 'Browserless.liveURL:compressed',
    'emulateComponents false: the page itself gets the press': 'Browserless.liveURL:emulateComponents',
    'interactable is interactive; timeout and instructions are told to the viewer':
      'Browserless.liveURL:{interactable,timeout,instructions}',
  }),
  ...seenBy('live/rest', {
    'what a body asks for, and what a person answers, can be read after the end':
      'live:{interactable,resizable,showBrowserInterface,instructions,type}',
    'without a body too; wrong bodies, tokens, ids and types are refused': 'live:{timeout,quality}',
  }),
  ...seenBy('live/views', {
    'view only: no message but acknowledgements has any effect': 'Browserless.liveURL:interactive',
    'without a size of its own, the page gets that of its window back; resizable false leaves it':
      'Browserless.liveURL:resizable',
    'tabs and the address bar work with showBrowserInterface alone': 'Browserless.liveURL:showBrowserInterface',
    'each end is told once, with its reason, to the client and in a sentence to the viewer':
      'Browserless.{liveURL:timeout,closeLiveURL:liveURLId}',
  }),
];
