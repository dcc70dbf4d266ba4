// Plain http-proxy at its best: raw responses piped by hand, keep-alive on both sides. Usage: bare-proxy.ts URL
import { Agent, createServer } from 'node:http';
import httpProxy from 'http-proxy';
import { listenForBench } from '../bench-server.ts';

const proxy = httpProxy.createProxyServer({
  target: process.argv[2],
  agent: new Agent({ keepAlive: true }),
  selfHandleResponse: true,
});
proxy.on('proxyRes', (incoming, _req, res) => {
  res.writeHead(incoming.statusCode ?? 502, incoming.rawHeaders);
  incoming.on('data', (piece) => {
    if (res.write(piece)) return;
    incoming.pause();
    res.once('drain', () => incoming.resume());
  });
  incoming.on('end', () => res.end());
});
// Without a listener, http-proxy throws each error, such as a connection that the service closes.
proxy.on('error', () => {});
const server = createServer((req, res) => proxy.web(req, res));
listenForBench(server);
