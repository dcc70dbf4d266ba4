/** Text that claims to be base64, and is not. */
export class NotBase64Error extends Error {
  override readonly name = 'NotBase64Error';
}

/** In the alphabets of RFC 4648 (sections 4 and 5), with padding or without it. */
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** Whether text can be read as base64; white space is passed over. */
export function isBase64(text: string): boolean {
  const dense = text.replaceAll(/\s+/g, '');
  return BASE64.test(dense) && dense.replace(/=+$/, '').length % 4 !== 1;
}

/** The bytes of text in base64. Throws NotBase64Error. */
export function decodedBase64(text: string): Buffer {
  if (!isBase64(text)) throw new NotBase64Error('text that is said to be base64, and is not');
  return Buffer.from(text, 'base64');
}
