import { connect, type Socket } from 'node:net';

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
