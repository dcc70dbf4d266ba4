// Sends distinct requests over persistent connections. Usage: distinct-load.ts URL COUNT [SECONDS]. Sends each request
// once, or repeats them all until SECONDS have passed. Prints the responses per second and the number of responses.
import { connect } from 'node:net';
import { CHAT_PATH, makeQuestion, makeRequestHeaders } from '../distinct-requests.ts';

const CONNECTIONS = 16;
/** A prime that divides none of the request counts: every request is sent, but not in the recorded order. */
const STRIDE = 7919;
const [url = '', count = '', seconds] = process.argv.slice(2);
const { hostname, port } = new URL(url);
const requests = Array.from({ length: Number(count) }, (_, n) => {
  const body = makeQuestion(n);
  const fields = makeRequestHeaders(body.length).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST ${CHAT_PATH} HTTP/1.1\r\n${fields.join('')}\r\n${body}`);
});

let nextIndex = 0;
let sentCount = 0;
let answeredCount = 0;
const began = performance.now();
const until = seconds === undefined ? Number.POSITIVE_INFINITY : began + Number(seconds) * 1000;
const maxRequests = seconds === undefined ? requests.length : Number.POSITIVE_INFINITY;
await Promise.all(Array.from({ length: CONNECTIONS }, runClient));
const perSecond = (answeredCount * 1000) / (performance.now() - began);
console.log(JSON.stringify({ perSecond, count: answeredCount }));

function runClient(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let head = '';
    /** Bytes of the response body that have not arrived; -1 while the head is incomplete. */
    let bytesLeft = -1;
    const send = () => {
      if (performance.now() > until || sentCount === maxRequests) {
        socket.destroy();
        resolve();
        return;
      }
      head = '';
      bytesLeft = -1;
      sentCount += 1;
      socket.write(requests[nextIndex] ?? '');
      nextIndex = (nextIndex + STRIDE) % requests.length;
    };
    socket.setNoDelay(true);
    socket.on('connect', send);
    socket.on('error', reject);
    socket.on('data', (piece) => {
      if (bytesLeft < 0) {
        head += piece.toString('latin1');
        const end = head.indexOf('\r\n\r\n');
        if (end === -1) return;
        const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
        if (!head.startsWith('HTTP/1.1 200') || length === undefined) {
          reject(new Error(`${url} sent no 200 with a content-length, but: ${head.slice(0, 400)}`));
          return;
        }
        bytesLeft = Number(length) - (head.length - end - 4);
      } else bytesLeft -= piece.length;
      if (bytesLeft > 0) return;
      answeredCount += 1;
      send();
    });
  });
}
