import type { RequestListener } from 'node:http';

const JSON_TYPE = 'application/json';

export const BAD_TARGETS = {
  'answers HTML': respond(200, 'text/html', '<!doctype html><h1>Welcome</h1>'),
  'answers 401': respond(401, JSON_TYPE, '{"error":{"message":"No."}}'),
  'answers 404': respond(404, JSON_TYPE, '{"error":{"message":"Not here."}}'),
  'answers 500': respond(500, JSON_TYPE, '{"error":{"message":"Broken."}}'),
  'answers half a JSON body': respond(200, JSON_TYPE, '{"object":"list","data":[{"id":'),
  'answers JSON as text': respond(200, 'text/plain', '{"object":"list","data":[]}'),
  'breaks off in the middle of an answer': (request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': JSON_TYPE, 'content-length': '1000' });
    response.write('{"object":"list",', () => response.destroy());
  },
  'streams without an end': (request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const timer = setInterval(() => response.write('data: {"object":"chat.completion.chunk"}\n\n'), 20);
    response.on('close', () => clearInterval(timer));
  },
  'never answers': (request) => {
    request.resume();
  },
} as const satisfies Record<string, RequestListener>;

function respond(status: number, type: string, body: string): RequestListener {
  return (request, response) => {
    request.resume();
    response.writeHead(status, { 'content-type': type }).end(body);
  };
}
