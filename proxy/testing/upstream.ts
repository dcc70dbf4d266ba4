import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

export interface TestUpstream {
  readonly url: string;
  readonly server: Server;
  close(): Promise<void>;
}

export async function startUpstream(
  handler: (req: IncomingMessage, res: ServerResponse) => void,
): Promise<TestUpstream> {
  const server = createServer(handler);
  // Idle connections stay open: closing one could hit a client that is about to use it.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${portOf(server)}/v1`,
    server,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function portOf(server: Server): number {
  // as: a server that listens on a port has an address of this form
  return (server.address() as AddressInfo).port;
}

/** Closes the connection once `isEnough` accepts the text; otherwise waits until the server closes it. */
export function sendRaw(
  url: string,
  request: string | Buffer,
  isEnough?: (text: string) => boolean,
): Promise<RawAnswer> {
  return exchangeRaw(url, request, (socket, text) => {
    if (isEnough?.(text)) socket.destroy();
  });
}

/** Sends the body once the server has answered 100 to the head. */
export function sendExpecting(url: string, head: string, body: string): Promise<RawAnswer> {
  return exchangeRaw(url, head, (socket, text) => {
    if (text === 'HTTP/1.1 100 Continue\r\n\r\n') socket.write(body);
  });
}

/** `onData` gets all text received so far. */
function exchangeRaw(
  url: string,
  request: string | Buffer,
  onData: (socket: Socket, text: string) => void,
): Promise<RawAnswer> {
  return new Promise((resolve) => {
    let [text, error]: [string, string | null] = ['', null];
    const socket = connectTo(url)
      .on('data', (piece) => {
        text += piece.toString('latin1');
        onData(socket, text);
      })
      .on('error', (cause: NodeJS.ErrnoException) => {
        error = cause.code ?? cause.message;
      })
      .on('close', () => resolve({ text, error }));
    socket.write(request);
  });
}

export interface RawAnswer {
  readonly text: string;
  readonly error: string | null;
}

export function connectTo(url: string): Socket {
  return connect(Number(new URL(url).port), '127.0.0.1');
}

export function deferred<T = void>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

export async function requestBodyOf(req: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of req) pieces.push(piece as Buffer); // as: no encoding is set
  return Buffer.concat(pieces);
}
