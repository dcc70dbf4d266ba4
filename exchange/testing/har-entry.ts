export const HAR_ENTRY = {
  startedDateTime: '2026-01-01T00:00:00Z',
  time: 5,
  request: {
    method: 'POST',
    url: 'https://a.example/v1/chat/completions',
    headers: [{ name: 'a', value: 'b' }],
    bodySize: 2,
    postData: {
      mimeType: 'multipart/form-data; boundary=x',
      params: [{ name: 'n', value: 'v', fileName: 'f' }],
    },
  },
  response: {
    status: 200,
    statusText: 'OK',
    headers: [{ name: 'content-type', value: 'text/plain' }],
    content: { size: 2, mimeType: 'text/plain', text: 'ok', encoding: 'x' },
    bodySize: 2,
    _error: null,
  },
  timings: { blocked: 1, dns: -1, connect: 0, send: 1, wait: 1 },
};
