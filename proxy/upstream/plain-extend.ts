import util from 'node:util';

const EXTEND = '_extend';
const own = Object.getOwnPropertyDescriptor(util, EXTEND);

// http-proxy takes this function when it is loaded, and what it does with it `Object.assign` does alike. Of its use node 24
// warns on the terminal of the user.
if (own?.configurable === true) Object.defineProperty(util, EXTEND, { ...own, value: Object.assign });

/** Gives `util._extend` back as it was. */
export function restore(): void {
  if (own?.configurable === true) Object.defineProperty(util, EXTEND, own);
}
