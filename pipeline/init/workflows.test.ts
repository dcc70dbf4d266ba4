import { expect, test } from 'vitest';
import { githubWorkflow, gitlabJob } from './workflows.ts';

const REMINDER = '# Start the service here, in the background: it must listen on ';
const installation = { install: null, command: 'npx assay' };

test.each(['127.0.0.1:8000', '127.0.0.2:8000', 'localhost:8000', 'api.localhost', '[::1]:8000'])(
  'a job against %s has a place to start the service',
  (host) => {
    const job = gitlabJob({ baseUrl: `http://${host}/v1`, keyVariable: null, start: null, installation });
    expect(job).toContain(`    ${REMINDER}${host}.\n`);
  },
);

const REMOTE = { baseUrl: 'https://service.example/v1', keyVariable: null, start: null, installation };

test('a job against another machine has no place to start the service', () => {
  expect(gitlabJob(REMOTE)).not.toContain(REMINDER);
});

test('the GitHub workflow keeps the HTML report as an artifact', () => {
  const workflow = githubWorkflow(REMOTE);
  expect(workflow).toMatch(/--report \S*\bhtml\b/);
  expect(workflow).toContain('path: assay-report\n');
});

test('the GitHub workflow says what makes the gate strict only if the first baseline accepts failures', () => {
  const baseline = (until: string | null) => ({ accepted: { path: 'assay-baseline.json', until } });
  expect(githubWorkflow(REMOTE)).not.toContain('first day');
  expect(githubWorkflow({ ...REMOTE, ...baseline(null) })).not.toContain('first day');
  expect(githubWorkflow({ ...REMOTE, ...baseline('2027-02-22') })).toMatch(
    /# assay-baseline\.json accepts what failed on the first day, until 2027-02-22;.*\n +# .* --strict-baseline .*\n +# .* without "baseline" in assay\.config\.json.*\n +# .* --fail-on should .*\n +- run: npx assay run/,
  );
});
