import util from 'node:util';

const EXTEND = '_extend';
const own = Object.getOwnPropertyDescriptor(util, EXTEND);

// http-proxy reads this function when it is loaded, and uses it like `Object.assign`. Node 24 prints a deprecation warning on
// its first call.
if (own?.configurable === true) Object.defineProperty(util, EXTEND, { ...own, value: Object.assign });

/** Restores `util._extend`. */
export function restore(): void {
  if (own?.configurable === true) Object.defineProperty(util, EXTEND, own);
}
