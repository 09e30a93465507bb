// How requests are read: tokens, legacy parameters, launch options, coercion, the form of errors.
import { heldBy, type Row } from './row.ts';

export const parsingRows: readonly Row[] = [
  ...heldBy('unit/launch', {
    'legacy: headless true, false, shell': 'the legacy parameters',
    'legacy: stealth true, false, alone': ['the legacy parameters', 'stealth'],
    'legacy: slowMo': 'the legacy parameters',
    'legacy: ignoreDefaultArgs true, false, a list': ['the legacy parameters', '--a'],
    'legacy: ignoreHTTPSErrors is acceptInsecureCerts': 'the legacy parameters',
    'legacy: acceptInsecureCerts wins over ignoreHTTPSErrors':
      'launch wins over the legacy parameters, and both are merged',
    'legacy: a member of launch wins over each': 'launch wins over the legacy parameters, and both are merged',
    'legacy: merged into a launch that is there': 'launch wins over the legacy parameters, and both are merged',
    'legacy: switches of the query replace args': 'switches of the query replace the args of launch',
    'legacy: without such parameters the address stays as it is': 'other parameters are left alone',
    'legacy: unknown parameters stay as they are': 'other parameters are left alone',
    'legacy: a launch that is no object is empty':
      'a launch that is no object counts for nothing beside legacy parameters',
    'launch: unknown members are accepted': 'unknown keys are kept, malformed known keys are refused',
    'launch: a known member of a wrong form is refused': 'unknown keys are kept, malformed known keys are refused',
    'launch: JSON text, its inside coerced': 'the inside of launch is coerced',
    'launch: base64': 'JSON text, base64 and URL-safe base64',
    'launch: what cannot be decoded is a 400 with its sentence': 'what cannot be decoded',
  }),
  ...heldBy('sockets/playwright', {
    'launch: unknown members of Playwright are accepted':
      'both orders of the path, other browsers by their prefix, and the session that /sessions shows',
  }),
  ...heldBy('contract/query', {
    'query: an unknown parameter of a request is a 400': ['400: …', 'an unknown parameter'],
    'query: trackingId=all is a 400 with its sentence': ['400: …', 'trackingId all'],
    'query: a trackingId of 33 characters is a 400 with its sentence': ['400: …', 'trackingId of 33 characters'],
    'query: a trackingId with other characters is a 400 with its sentence': ['400: …', 'trackingId with a blank'],
    'GET with a body, as JSON': ['ALLOW_GET: GET with the body as …', 'JSON text'],
    'GET with a body, as base64': ['ALLOW_GET: GET with the body as …', 'base64'],
    'GET with a body that cannot be read is a 400 with its sentence': 'ALLOW_GET: a body that cannot be read',
  }),

  ...heldBy('unit/http', {
    'token: of the query': 'the token may stand in the query or in the header, and the header wins',
    'token: a header that is there wins': 'the token may stand in the query or in the header, and the header wins',
  }),
  ...heldBy('contract/auth', {
    'token: ?token=': ['let in: …', 'token in the query'],
    'token: Bearer': ['let in: …', 'Bearer'],
    'token: Basic, as user': ['let in: …', 'Basic with the token as user'],
    'token: Basic, as password': ['let in: …', 'Basic with the token as password'],
    'token: Basic with a user beside it is a 401': ['refused: …', 'Basic with a user and the token'],
    'token: bare, and bearer in lower case, are a 401': ['refused: …', 'bearer in lower case'],
    'token: an empty one is a 401': ['refused: …', 'an empty token in the query'],
    'token: an empty one on a server without a token is a 400':
      'without a configured token an empty token parameter is a 400',
    'token: the refusal comes before the body is read': 'the refusal comes before the body and the query are looked at',
  }),

  ...heldBy('unit/coerce', {
    'coercion: documented bodies of pdf': ['bodies of the documentation pass', 'networkidle2'],
    'coercion: documented bodies of screenshot': ['bodies of the documentation pass', 'png'],
    'coercion: documented bodies of scrape': ['bodies of the documentation pass', 'h1'],
    'coercion: a flag as text inside of options': 'bodies: texts inside of options',
    'coercion: an empty text is no flag': 'bodies: texts inside of options',
    'coercion: what cannot become a number inside of options is refused': ['bodies: texts inside of options', 'high'],
    'coercion: values from a list, such as waitUntil': ['bodies of the documentation pass', 'networkidle2'],
    'coercion: text stays text': 'text is never made from something else',
    'coercion: blockAds with blockAdsInclude': 'query: lists and loose flags',
    'coercion: open maps take anything': 'open values keep texts, and lose dangerous keys',
    'coercion: __proto__ and its like are dropped': 'open values keep texts, and lose dangerous keys',
    'coercion: an alternative without its required members is skipped': 'unions take the first alternative that fits',
    'coercion: a parameter without a value is true': 'query: a name alone is true',
    'coercion: 1 and yes are no flags of bodies': 'what is no number or flag stays',
  }),
  ...heldBy('contract/function', {
    'coercion: texts of a context stay texts': ['context arrives as it was sent; without one it is {}', '2'],
  }),
  ...heldBy('fields/wrong', {
    'bodies: an unknown field is refused': ['…: … = …', 'gotoOptions.speed'],
    'bodies: null, a number, a text, a list are refused': 'a body that is …',
    'bodies: another type than JSON is a 404': 'a body of type "…" finds no route',
    'bodies: flags and numbers as text': 'texts for numbers and flags are understood',
  }),

  ...heldBy('unit/errors', {
    'errors: text by default': 'default is text with a line end',
    'errors: JSON for requests of JSON, also with a charset': 'JSON requests get JSON, also with a charset and for 500',
    'errors: JSON for a 500': 'JSON requests get JSON, also with a charset and for 500',
    'errors: token, route and queue stay text':
      'token, route and limiter errors stay text for JSON requests, unless JSON is accepted by name',
    'errors: what nobody expected is a bare 500': 'unknown errors keep their detail as cause only',
  }),
  ...heldBy('contract/foreign-headers', {
    'paths: a segment with an escape that is none is an error, not a crash':
      'a path with a broken escape is a 400 on every door',
    'paths: whole escapes are read': 'whole escapes are read as before',
    'paths: ids of sockets': 'and of every socket',
  }),
  ...heldBy('sockets/cdp', {
    'paths: the last segment is the id, whatever the query': [
      'a second client on the same browser: 1, 2, 1, none',
      '/chromium',
    ],
  }),
];
