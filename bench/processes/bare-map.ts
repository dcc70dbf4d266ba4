// The bare platform for `assay replay`: node:http, answering from a Map. Usage: bare-map.ts COUNT
import { createServer } from 'node:http';
import { announce } from '../announce.ts';
import { answer, PATH, question } from '../distinct.ts';

const answers = new Map<string, Buffer>();
for (let n = 0; n < Number(process.argv[2]); n += 1) {
  answers.set(`POST ${PATH} ${question(n)}`, Buffer.from(answer(n)));
}
const server = createServer((req, res) => {
  const pieces: Buffer[] = [];
  req.on('data', (piece) => pieces.push(piece));
  req.on('end', () => {
    const found = answers.get(`${req.method} ${req.url} ${Buffer.concat(pieces).toString()}`);
    if (found === undefined) {
      res.writeHead(501).end();
      return;
    }
    res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': found.length });
    res.end(found);
  });
});
announce(server);
