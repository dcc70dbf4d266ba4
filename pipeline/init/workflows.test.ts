import { expect, test } from 'vitest';
import { gitlabJob } from './workflows.ts';

const REMINDER = '# Start the service here, in the background: it must listen on ';
const installation = { install: null, command: 'npx assay' };

test.each(['127.0.0.1:8000', '127.0.0.2:8000', 'localhost:8000', 'api.localhost', '[::1]:8000'])(
  'a job against %s has a place to start the service',
  (host) => {
    const job = gitlabJob({ baseUrl: `http://${host}/v1`, keyVariable: null, start: null, installation });
    expect(job).toContain(`    ${REMINDER}${host}.\n`);
  },
);

test('a job against another machine does not start the service', () => {
  const baseUrl = 'https://service.example/v1';
  expect(gitlabJob({ baseUrl, keyVariable: null, start: null, installation })).not.toContain(REMINDER);
});
