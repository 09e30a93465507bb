/**
 * Signs the requests of a bot whose operator wants it to be identifiable, and the directory that publishes the key to
 * verify them: HTTP Message Signatures (RFC 9421, library http-message-sig) according to
 * draft-ietf-webbotauth-httpsig-protocol.
 */
import { component, createSignatureSync, type SignerSync } from 'http-message-sig';
import { toBase64 } from '../../base/runtime/bytes.ts';
import { type Ed25519Key, ed25519Signer, thumbprintOf } from '../../base/runtime/crypto/ed25519.ts';
import { sha256 } from '../../base/runtime/crypto/hashes.ts';
import { directoryPath, directoryType } from './directory.ts';

/** How long a signature is valid, in seconds: anyone who sees a request can replay it at the same site until then. */
const requestSeconds = 60;

/** How long the directory may be cached, in seconds: a replaced key stays valid for this long. */
const directoryMaxAgeSeconds = 3_600;
/** How long the signature of a directory is valid, in seconds: longer than a copy may be cached. */
const directorySeconds = 86_400;

/** Length of a nonce in bytes, as in the examples of the draft. */
const nonceBytes = 64;

/** Label that ties the headers of one signature together. */
const label = 'sig1';

export interface RequestSigner {
  /**
   * Returns the headers of a request with its signature, which is valid for the host and port of this URL; without a
   * signature when the URL is invalid.
   * @param url an http or https URL
   */
  signedHeaders(url: string, headers: Readonly<Record<string, string>>): Record<string, string>;
  /** The directory with the public key, signed for the origin that the operator has set. */
  directory(): { body: string; headers: Record<string, string> };
}

/** @param directory the origin that serves the directory, such as `https://bots.example.com` */
export function createSigner(key: Ed25519Key, directory: string): RequestSigner {
  const keyid = thumbprintOf(key);
  const signer: SignerSync = { algorithm: 'ed25519', sign: ed25519Signer(key) };
  const parametersOf = (seconds: number, tag: string) => {
    const created = Math.floor(Date.now() / 1_000);
    const nonce = toBase64(crypto.getRandomValues(new Uint8Array(nonceBytes)));
    return { created, expires: created + seconds, keyid, alg: signer.algorithm, nonce, tag };
  };
  const agent = { name: 'Signature-Agent', value: `${label}=${JSON.stringify(directory)}` };
  const agentComponent = component('signature-agent', { key: label });
  const body = JSON.stringify({ keys: [{ kty: 'OKP', crv: 'Ed25519', kid: keyid, x: key.x, use: 'sig' }] });
  const digest = `sha-256=:${toBase64(sha256(body))}:`;
  return {
    signedHeaders(url, headers) {
      // Chromium accepts a few URLs that are invalid by the standard.
      if (!URL.canParse(url)) return { ...headers };
      const targetUri = new URL(url).origin;
      const { signature, signatureInput } = createSignatureSync(
        { kind: 'request', method: 'GET', targetUri, fields: [agent] },
        {
          label,
          components: ['@authority', agentComponent],
          parameters: parametersOf(requestSeconds, 'web-bot-auth'),
          signer,
        },
      );
      const others = Object.entries(headers).filter(([name]) => !/^signature(?:-agent|-input)?$/i.test(name));
      return {
        ...Object.fromEntries(others),
        [agent.name]: agent.value,
        'Signature-Input': signatureInput,
        Signature: signature,
      };
    },
    directory() {
      const headers = { 'Content-Type': directoryType, 'Content-Digest': digest };
      const request = { method: 'GET', targetUri: `${directory}${directoryPath}`, fields: [] };
      const fields = Object.entries(headers).map(([name, value]) => ({ name, value }));
      // Do not sign for the host of the request: anyone could then have the keys signed for their own host.
      const { signature, signatureInput } = createSignatureSync(
        { kind: 'response', status: 200, fields, request: { kind: 'request', ...request } },
        {
          label,
          components: [component('@authority', { req: true }), 'content-digest'],
          parameters: parametersOf(directorySeconds, 'http-message-signatures-directory'),
          signer,
        },
      );
      return {
        body,
        headers: {
          ...headers,
          'Cache-Control': `max-age=${directoryMaxAgeSeconds}`,
          'Signature-Input': signatureInput,
          Signature: signature,
        },
      };
    },
  };
}
