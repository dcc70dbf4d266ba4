import { expect, test } from 'vitest';
import { proxyFor } from './environment-proxy.ts';

const HTTP = { HTTP_PROXY: 'http://proxy:3128' };

test.for([
  ['http://service.test/v1', HTTP, 'HTTP_PROXY'],
  ['https://service.test/v1', HTTP, null],
  ['https://service.test/v1', { https_proxy: 'proxy:3128' }, 'https_proxy'],
  ['http://127.0.0.1:8000/v1', HTTP, null],
  ['http://[::1]:8000', HTTP, null],
  ['http://service.test/v1', { ...HTTP, NO_PROXY: 'other.test, service.test' }, null],
  ['http://a.service.test/v1', { ...HTTP, no_proxy: '.service.test' }, null],
  ['http://a.service.test/v1', { ...HTTP, NO_PROXY: 'ice.test' }, 'HTTP_PROXY'],
  ['http://service.test:81/v1', { ...HTTP, NO_PROXY: 'service.test:82' }, 'HTTP_PROXY'],
  ['http://service.test:81/v1', { ...HTTP, NO_PROXY: '.service.test:81' }, null],
  ['http://service.test/v1', { ...HTTP, NO_PROXY: 'service.test:80' }, null],
  ['https://service.test/v1', { HTTPS_PROXY: 'proxy:3128', NO_PROXY: 'service.test:443' }, null],
  ['http://a.service.test/v1', { ...HTTP, NO_PROXY: 'Service.TEST' }, null],
  ['http://[2001:db8::1]:8000/v1', { ...HTTP, NO_PROXY: '2001:db8::1' }, null],
  ['http://[2001:db8::1]:8000/v1', { ...HTTP, NO_PROXY: '[2001:db8::1]' }, null],
  ['http://[2001:db8::1]:8000/v1', { ...HTTP, NO_PROXY: 'db8::1' }, 'HTTP_PROXY'],
  ['http://service.test/v1', { ...HTTP, NO_PROXY: '*' }, null],
  ['http://service.test/v1', { ...HTTP, http_proxy: 'http://other:3128' }, 'http_proxy'],
  ['http://service.test/v1', { HTTP_PROXY: ' ' }, null],
] as const)('the proxy of %s in the environment %o comes from %s', ([url, env, variable]) => {
  expect(proxyFor(url, env)?.variable ?? null).toBe(variable);
});

test('a proxy without a scheme is used over HTTP', () => {
  expect(proxyFor('https://service.test', { HTTPS_PROXY: 'proxy:3128' })?.url).toBe('http://proxy:3128');
});

test.each(['http://proxy:port', ':3128', 'socks5h://127.0.0.1:1080', 'http://a:%zz@proxy:3128'])(
  'the proxy %s is rejected, and the error names its variable instead of its value',
  (value) => {
    const useProxy = () => proxyFor('https://service.test', { HTTPS_PROXY: value });
    expect(useProxy).toThrow('HTTPS_PROXY does not name a usable proxy');
    expect(useProxy).not.toThrow(value);
  },
);
