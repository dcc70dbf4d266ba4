// A service that answers each question of `distinct.ts`, in constant memory. Usage: distinct-upstream.ts
import { createServer } from 'node:http';
import { announce } from '../announce.ts';
import { answer } from '../distinct.ts';

const server = createServer((req, res) => {
  let asked = '';
  req.setEncoding('utf8').on('data', (text: string) => (asked += text));
  req.on('end', () => {
    const [, number] = /question (\d+)\./.exec(asked) ?? [];
    const bytes = Buffer.from(answer(Number(number)));
    res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': bytes.length });
    res.end(bytes);
  });
});
announce(server);
