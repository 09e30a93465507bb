// How requests are read: tokens, legacy parameters, launch options, coercion, the form of errors.
import { coveredBy, type Row } from './row.ts';

export const parsingRows: readonly Row[] = [
  ...coveredBy('unit/launch', {
    'legacy: headless true, false, shell': 'legacy parameters set launch options',
    'legacy: stealth true, false, alone': ['legacy parameters set launch options', 'stealth'],
    'legacy: slowMo': 'legacy parameters set launch options',
    'legacy: ignoreDefaultArgs true, false, a list': ['legacy parameters set launch options', '--a'],
    'legacy: ignoreHTTPSErrors is acceptInsecureCerts': 'legacy parameters set launch options',
    'legacy: acceptInsecureCerts wins over ignoreHTTPSErrors':
      'launch is merged with the legacy parameters, and wins over them',
    'legacy: a property of launch overrides each': 'launch is merged with the legacy parameters, and wins over them',
    'legacy: merged into an existing launch': 'launch is merged with the legacy parameters, and wins over them',
    'legacy: switches in the query replace args': 'switches in the query replace the args in launch',
    'legacy: without such parameters, the URL is unchanged': 'other parameters are left alone',
    'legacy: unknown parameters are unchanged': 'other parameters are left alone',
    'legacy: a launch that is not an object is treated as empty':
      'a launch that is not an object is ignored if there are legacy parameters',
    'launch: unknown properties are accepted': 'unknown keys are kept, malformed known keys are rejected',
    'launch: a known property of the wrong type is rejected':
      'unknown keys are kept, malformed known keys are rejected',
    'launch: JSON text, with its values coerced': 'values inside launch are coerced',
    'launch: base64': 'launch may be JSON, base64 or URL-safe base64',
    'launch: text that cannot be decoded is a 400 with the documented message':
      'rejects a launch that cannot be decoded',
  }),
  ...coveredBy('sockets/playwright', {
    'launch: unknown Playwright properties are accepted':
      'both path orders and other browser prefixes work, and /sessions lists the session',
  }),
  ...coveredBy('contract/query', {
    'query: an unknown parameter of a request is a 400': ['400: …', 'an unknown parameter'],
    'query: trackingId=all is a 400 with the documented message': ['400: …', 'trackingId all'],
    'query: a trackingId of 33 characters is a 400 with the documented message': [
      '400: …',
      'trackingId of 33 characters',
    ],
    'query: a trackingId with other characters is a 400 with the documented message': [
      '400: …',
      'trackingId with a blank',
    ],
    'GET with a body, as JSON': ['ALLOW_GET: GET with the body as …', 'JSON text'],
    'GET with a body, as base64': ['ALLOW_GET: GET with the body as …', 'base64'],
    'GET with a body that cannot be parsed is a 400 with the documented message':
      'ALLOW_GET: returns 400 for a body that cannot be parsed',
  }),

  ...coveredBy('unit/http', {
    'token: in the query': 'the token may be in the query or the header, and the header wins',
    'token: a header takes precedence': 'the token may be in the query or the header, and the header wins',
  }),
  ...coveredBy('contract/auth', {
    'token: ?token=': ['accepted: …', 'token in the query'],
    'token: Bearer': ['accepted: …', 'Bearer'],
    'token: Basic, as user': ['accepted: …', 'Basic with the token as user'],
    'token: Basic, as password': ['accepted: …', 'Basic with the token as password'],
    'token: Basic with a username and the token is a 401': ['returns 401: …', 'Basic with a user and the token'],
    'token: without a scheme, or with bearer in lowercase, is a 401': ['returns 401: …', 'bearer in lower case'],
    'token: an empty token is a 401': ['returns 401: …', 'an empty token in the query'],
    'token: an empty token on a server without a token is a 400':
      'returns 400 for an empty token parameter if no token is configured',
    'token: a request is rejected before its body is read': 'a request is rejected before its body and query are read',
  }),

  ...coveredBy('unit/coerce', {
    'coercion: documented bodies of pdf': ['accepts the request bodies from the documentation', 'networkidle2'],
    'coercion: documented bodies of screenshot': ['accepts the request bodies from the documentation', 'png'],
    'coercion: documented bodies of scrape': ['accepts the request bodies from the documentation', 'h1'],
    'coercion: a flag as a string inside options': 'bodies: coerces strings inside options',
    'coercion: an empty string is not a flag': 'bodies: coerces strings inside options',
    'coercion: a string inside options that is not a number is rejected': [
      'bodies: coerces strings inside options',
      'high',
    ],
    'coercion: values from a list, such as waitUntil': [
      'accepts the request bodies from the documentation',
      'networkidle2',
    ],
    'coercion: strings stay strings': 'never converts other types to strings',
    'coercion: blockAds with blockAdsInclude': 'query: lists and loose flags',
    'coercion: open maps accept anything': 'untyped values keep their strings, and lose dangerous keys',
    'coercion: __proto__ and similar keys are dropped': 'untyped values keep their strings, and lose dangerous keys',
    'coercion: an alternative without its required properties is skipped':
      'unions use the first alternative that matches',
    'coercion: a parameter without a value is true': 'query: a name without a value is true',
    'coercion: 1 and yes are not flags in bodies': 'leaves strings that are not a number or boolean unchanged',
  }),
  ...coveredBy('contract/function', {
    'coercion: strings in a context stay strings': ['context arrives unchanged, and defaults to {}', '2'],
  }),
  ...coveredBy('fields/wrong', {
    'bodies: an unknown field is rejected': ['…: … = …', 'gotoOptions.speed'],
    'bodies: null, a number, a string, and a list are rejected': 'rejects a body that is …',
    'bodies: a type other than JSON is a 404': 'a body of type "…" matches no route',
    'bodies: flags and numbers as strings': 'strings for numbers and booleans are accepted',
  }),

  ...coveredBy('unit/errors', {
    'errors: text by default': 'errors are plain text with a trailing newline by default',
    'errors: JSON for JSON requests, also with a charset':
      'JSON requests get JSON errors, even with a charset and for a 500',
    'errors: JSON for a 500': 'JSON requests get JSON errors, even with a charset and for a 500',
    'errors: token, route, and queue errors stay text':
      'token, route and limiter errors are text even for JSON requests, unless Accept names JSON',
    'errors: unexpected errors are a plain 500': 'unknown errors keep their details only as the cause',
  }),
  ...coveredBy('contract/foreign-headers', {
    'paths: a segment with an invalid escape is an error, not a crash':
      'every endpoint returns 400 for a path with a malformed escape',
    'paths: valid escapes are decoded': 'valid escapes are still decoded',
    'paths: ids in socket paths': 'every socket returns 400 for a path with a malformed escape',
  }),
  ...coveredBy('sockets/cdp', {
    'paths: the last segment is the id, regardless of the query': [
      'numbConnected counts the clients of a browser, which closes after the last one',
      '/chromium',
    ],
  }),
];
