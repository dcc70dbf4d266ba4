import { createServer, type IncomingMessage, type Server } from 'node:http';

/** `startServer` reads the URL that this prints. */
export function listenForBench(server: Server): void {
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    console.log(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
  });
  process.on('SIGTERM', () => process.exit());
}

/** Answers a request with the JSON that `findAnswer` returns, or with 501 if it returns undefined. */
export function serveAnswers(
  findAnswer: (request: IncomingMessage, body: string) => Buffer | undefined,
): void {
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece) => pieces.push(piece));
    request.on('end', () => {
      const answer = findAnswer(request, Buffer.concat(pieces).toString());
      if (answer === undefined) {
        response.writeHead(501).end();
        return;
      }
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': answer.length });
      response.end(answer);
    });
  });
  listenForBench(server);
}
