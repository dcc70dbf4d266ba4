// Before http-proxy is loaded.
import './plain-extend.ts';
import httpProxy from 'http-proxy';
import { restore } from './plain-extend.ts';

restore();

/** http-proxy, loaded so that node 24 does not warn of a function that it uses. */
export const { createProxyServer } = httpProxy;
