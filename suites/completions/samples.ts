export const say = 'Say assay.';

export const count = 'Count from 1 to 20, digits separated by commas, nothing else:';

/** Small numbers are tokens of every model. */
export const tokens: readonly number[] = [40, 41, 42];

/** Longer than any token. */
export const long = `${'The quick brown fox jumps over the lazy dog. '.repeat(4)}And then`;

/** Label of requests with a suffix for a model that is not known to accept one. */
export const OTHER_MODEL = 'other-model';
