import { createServer, type Socket } from 'node:net';
import { portOf } from './upstream.ts';

export interface RawService {
  readonly url: string;
  answer: Buffer;
  close(): Promise<void>;
}

export async function startRawService(
  answer = '',
  afterAnswer: (socket: Socket) => void = (socket) => socket.end(),
): Promise<RawService> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    socket.once('data', () => {
      if (service.answer.length > 0) socket.write(service.answer);
      afterAnswer(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const service: RawService = {
    url: `http://127.0.0.1:${portOf(server)}/v1`,
    answer: Buffer.from(answer, 'latin1'),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
  return service;
}
