import { createRequire } from 'node:module';
// This import must come before http-proxy is loaded.
import { restore } from './plain-extend.ts';

// Loaded by a call: a bundle evaluates imports of packages before its own modules.
// as: the package exports this type
const httpProxy = createRequire(import.meta.url)('http-proxy') as typeof import('http-proxy');

restore();

/** http-proxy, loaded without the deprecation warning of node 24 for a function that it uses. */
export const { createProxyServer } = httpProxy;
