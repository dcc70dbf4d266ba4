import { createRequire } from 'node:module';
import util from 'node:util';

// http-proxy reads `util._extend` when it is loaded; node 24 prints a deprecation warning when that function is called.
// `Object.assign` therefore takes its place while http-proxy loads.
const EXTEND = '_extend';
const original = Object.getOwnPropertyDescriptor(util, EXTEND);
if (original?.configurable === true)
  Object.defineProperty(util, EXTEND, { ...original, value: Object.assign });

// Loaded with `require`, as a bundle evaluates imports before the lines above. as: the package exports this type
const httpProxy = createRequire(import.meta.url)('http-proxy') as typeof import('http-proxy');

if (original?.configurable === true) Object.defineProperty(util, EXTEND, original);

export const { createProxyServer } = httpProxy;
