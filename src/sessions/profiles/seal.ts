/** Encrypts and decrypts the vault's data, with a context as additional authenticated data. */
const ivBytes = 12;

export async function seal(key: CryptoKey, text: string, context: string): Promise<Uint8Array> {
  const iv = crypto.getRandomValues(new Uint8Array(ivBytes));
  const method = { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(context) };
  const sealed = new Uint8Array(await crypto.subtle.encrypt(method, key, new TextEncoder().encode(text)));
  const whole = new Uint8Array(ivBytes + sealed.length);
  whole.set(iv);
  whole.set(sealed, ivBytes);
  return whole;
}

/** @throws when the bytes were sealed with a different key or context */
export async function unseal(key: CryptoKey, whole: Uint8Array, context: string): Promise<string> {
  const bytes = new Uint8Array(whole);
  const method = {
    name: 'AES-GCM',
    iv: bytes.subarray(0, ivBytes),
    additionalData: new TextEncoder().encode(context),
  };
  return new TextDecoder().decode(await crypto.subtle.decrypt(method, key, bytes.subarray(ivBytes)));
}
