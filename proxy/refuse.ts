import type { ServerResponse } from 'node:http';

/** An answer of the proxy itself, told apart from the service's by its header `x-assay-error`. */
export function refuse(
  res: ServerResponse,
  status: number,
  code: string,
  message: string,
  more: object = {},
): void {
  const body = Buffer.from(
    `${JSON.stringify({ error: { message, type: 'assay_proxy', code, ...more } }, null, 2)}\n`,
  );
  res.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    'x-assay-error': code,
  });
  res.end(body);
}
