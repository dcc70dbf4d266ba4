/** Forms that secrets are known to have, for finding those that nobody named. */
const SHAPES: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['an API key', /\bsk-[A-Za-z0-9_-]{20,}/],
  ['a bearer token', /\bBearer +(?!redacted_)[A-Za-z0-9._~+/-]{20,}/i],
  ['a private key', /-----BEGIN [A-Z ]*PRIVATE KEY-----/],
  ['an AWS access key', /\bAKIA[0-9A-Z]{16}\b/],
  ['a GitHub token', /\bgh[pousr]_[A-Za-z0-9]{36}\b/],
  ['a Slack token', /\bxox[abprs]-[A-Za-z0-9-]{10,}/],
  ['a Google API key', /\bAIza[0-9A-Za-z_-]{35}\b/],
  ['a JSON web token', /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}/],
];

/** What a text holds that looks like a secret: the name of its form, never the secret. */
export function secretShapes(text: string): string[] {
  return SHAPES.filter(([, pattern]) => pattern.test(text)).map(([name]) => name);
}
