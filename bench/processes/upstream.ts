// A service with next to no cost, so that proxies in front of it can be measured. Usage: upstream.ts
import { createServer } from 'node:http';
import { listenForBench } from '../bench-server.ts';
import { makeAnswer } from '../distinct-requests.ts';

const ANSWER = Buffer.from(makeAnswer(0));
const EVENT_COUNT = 200;
const EVENT_INTERVAL_MS = 5;

const server = createServer((req, res) => {
  if (req.url?.endsWith('/stream')) {
    let sentCount = 0;
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    const timer = setInterval(() => {
      sentCount += 1;
      // The send time, on the clock that all processes share.
      res.write(`data: {"n":${sentCount},"at":${performance.timeOrigin + performance.now()}}\n\n`);
      if (sentCount < EVENT_COUNT) return;
      clearInterval(timer);
      res.end();
    }, EVENT_INTERVAL_MS);
    return;
  }
  req.on('data', () => {});
  req.on('end', () => {
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': ANSWER.length });
    res.end(ANSWER);
  });
});
server.keepAliveTimeout = 60_000;
listenForBench(server);
