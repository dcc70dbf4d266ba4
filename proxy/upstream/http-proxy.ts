// This import must come before http-proxy.
import './plain-extend.ts';
import httpProxy from 'http-proxy';
import { restore } from './plain-extend.ts';

restore();

/** http-proxy, loaded without the deprecation warning of node 24 for a function that it uses. */
export const { createProxyServer } = httpProxy;
