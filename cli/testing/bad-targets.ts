import type { RequestListener } from 'node:http';

const json = { 'content-type': 'application/json' };

/** Targets that misbehave in the same way for every request. */
export const BAD_TARGETS = {
  'answers HTML': (request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><h1>Welcome</h1>');
  },
  'answers 401': (request, response) => {
    request.resume();
    response.writeHead(401, json).end('{"error":{"message":"No."}}');
  },
  'answers 404': (request, response) => {
    request.resume();
    response.writeHead(404, json).end('{"error":{"message":"Not here."}}');
  },
  'answers 500': (request, response) => {
    request.resume();
    response.writeHead(500, json).end('{"error":{"message":"Broken."}}');
  },
  'answers half a JSON body': (request, response) => {
    request.resume();
    response.writeHead(200, json).end('{"object":"list","data":[{"id":');
  },
  'answers JSON as text': (request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/plain' }).end('{"object":"list","data":[]}');
  },
  'resets in the middle of an answer': (request, response) => {
    request.resume();
    response.writeHead(200, { ...json, 'content-length': '1000' });
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
