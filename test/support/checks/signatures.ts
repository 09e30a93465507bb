// Verifies HTTP Message Signatures by hand, as in RFC 9421 section 3.2: no code is shared with the server. It supports
// only the components of Web Bot Auth.
import * as assert from 'uvu/assert';
import { createHash, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import type { SiteRequest } from '../site/site.ts';

export interface PublicJwk {
  kty: 'OKP';
  crv: 'Ed25519';
  x: string;
}

export interface PrivateJwk extends PublicJwk {
  d: string;
}

/** A new key pair. */
export function newKey(): PrivateJwk {
  // It has the properties that RFC 8037 defines.
  return generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }) as unknown as PrivateJwk;
}

/** What a signature covers besides its parameters. */
interface Message {
  /** Host and port of the request, or of the request that a response belongs to. */
  authority: string;
  /** Headers by lowercase name. */
  headers: Record<string, string | undefined>;
}

export interface Verified {
  /** The covered components as written: `"@authority" "signature-agent";key="sig1"`. */
  components: string;
  parameters: Record<string, string | number>;
}

/**
 * Verifies the only signature of a message.
 * @throws if there is none, or it was not made with this key for this message
 */
export function verified({ authority, headers }: Message, { x }: PublicJwk): Verified {
  const input = headers['signature-input'] ?? '';
  const [, label = '', params = '', components = '', rest = ''] = /^(\w+)=(\(([^()]*)\)(.*))$/.exec(input) ?? [];
  assert.ok(label, `Signature-Input: ${input}`);
  const [, signedLabel, signature = ''] = /^(\w+)=:([A-Za-z0-9+/=]+):$/.exec(headers['signature'] ?? '') ?? [];
  assert.is(signedLabel, label);
  const lines = components.split(' ').map((component) => `${component}: ${valueOf(component, { authority, headers })}`);
  const base = [...lines, `"@signature-params": ${params}`].join('\n');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  if (!verify(null, Buffer.from(base), key, Buffer.from(signature, 'base64')))
    throw new Error(`the signature is not valid for\n${base}`);
  return { components, parameters: parametersOf(rest) };
}

function valueOf(component: string, { authority, headers }: Message): string {
  const [, name = '', more = ''] = /^"([^"]+)"(.*)$/.exec(component) ?? [];
  if (name === '@authority') return authority;
  const value = headers[name];
  assert.ok(value, `there is no header ${name}`);
  const member = /^;key="(\w+)"$/.exec(more)?.[1];
  return member === undefined ? value : (new RegExp(`(?:^|, )${member}=("[^"]*")`).exec(value)?.[1] ?? '');
}

function parametersOf(text: string): Record<string, string | number> {
  const found = text.matchAll(/;(\w+)=(?:"([^"]*)"|(\d+))/g);
  return Object.fromEntries([...found].map(([, name = '', word, number]) => [name, word ?? Number(number)]));
}

/**
 * Asserts that a request is signed for the host and port that it was sent to, by the rules of Web Bot Auth, and returns
 * the parameters of the signature.
 */
export function assertSigned(
  request: Pick<SiteRequest, 'headers'> | undefined,
  by: { key: PublicJwk; directory: string },
): Verified['parameters'] {
  assert.ok(request);
  const { headers } = request;
  assert.is(headers['signature-agent'], `sig1="${by.directory}"`);
  const { components, parameters } = verified({ authority: headers['host'] ?? '', headers }, by.key);
  assert.is(components, '"@authority" "signature-agent";key="sig1"');
  assert.is(parameters['tag'], 'web-bot-auth');
  assert.is(parameters['keyid'], thumbprint(by.key));
  assert.is(parameters['alg'], 'ed25519');
  const age = Date.now() / 1_000 - Number(parameters['created']);
  assert.ok(age >= 0 && age < 30, `signed ${age} s ago`);
  assert.is(Number(parameters['expires']) - Number(parameters['created']), 60);
  return parameters;
}

/** The thumbprint (RFC 7638) of a key (RFC 8037). */
export function thumbprint({ x }: PublicJwk): string {
  return createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url');
}
