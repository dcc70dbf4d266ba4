// The workflows that `assay init` writes. They read the target and the claim from assay.config.json.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject } from '../../schemas/json.ts';

/** What a workflow depends on. */
export interface WorkflowFacts {
  /** The target, with `/v1`. */
  readonly baseUrl: string;
  /** Environment variable of the key; null for none. */
  readonly keyVariable: string | null;
  /** Shell command that starts the service; null where it is not known. */
  readonly start: string | null;
  /** How the workflow gets assay, and calls it. */
  readonly installation: Installation;
}

/** Seconds that a workflow waits for its service to come up. */
const WAIT = 60;

/** A workflow of GitHub Actions. The report is the summary of the job, and an artifact, whatever the verdict. */
export function githubWorkflow(facts: WorkflowFacts): string {
  const { keyVariable, installation } = facts;
  // The service that the workflow starts has to know the key, too.
  const environment =
    keyVariable === null ? '' : `        env:\n          ${keyVariable}: \${{ secrets.${keyVariable} }}\n`;
  const start = startLines(facts, '      - run: ', '      ');
  return `name: assay
on: [push, pull_request]
jobs:
  conformance:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 22
${installLine(facts, '      - run: ')}${start}${facts.start === null ? '' : environment}      - run: ${installation.command} run --wait-for ${WAIT} --report terminal,json,junit,markdown,github
${environment}      - if: always()
        # A run that cannot start, as without the key, writes no report.
        run: test ! -f assay-report/summary.md || cat assay-report/summary.md >> "$GITHUB_STEP_SUMMARY"
      - if: always()
        uses: actions/upload-artifact@v4
        with:
          name: assay-report
          path: assay-report
`;
}

/** A job of GitLab, to be included in `.gitlab-ci.yml`. The key is a masked variable of the project. */
export function gitlabJob(facts: WorkflowFacts): string {
  return `# Add to .gitlab-ci.yml:  include: { local: assay.gitlab-ci.yml }
assay:
  image: node:22-slim
  script:
${installLine(facts, '    - ')}${startLines(facts, '    - ', '    ')}    - ${facts.installation.command} run --wait-for ${WAIT} --report terminal,json,junit,html
  artifacts:
    when: always
    paths: [assay-report]
    reports:
      junit: assay-report/junit.xml
`;
}

/** The step that installs the project; nothing where the package is fetched when it is called. */
function installLine({ installation: { install } }: WorkflowFacts, step: string): string {
  return install === null ? '' : `${step}${install}\n`;
}

/** The step that starts a service on the machine of the workflow; a comment where its command is not known; nothing for a remote one. */
function startLines({ baseUrl, start }: WorkflowFacts, step: string, indent: string): string {
  if (start !== null) return `${step}${JSON.stringify(`${start} &`)}\n`;
  const { hostname, host } = new URL(baseUrl);
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return isHere ? `${indent}# Start the service here, in the background: it has to listen on ${host}.\n` : '';
}

// How a workflow gets assay: as a dependency of the project, or as a package that it fetches.

/** The command that installs the project, null for none, and the words that stand before the arguments of assay. */
export interface Installation {
  readonly install: string | null;
  readonly command: string;
}

/** Package managers by their lock file, in the order in which they are looked for, each with its command that changes nothing else. */
const LOCKED: readonly (readonly [lock: string, install: string])[] = [
  ['package-lock.json', 'npm ci'],
  ['npm-shrinkwrap.json', 'npm ci'],
  ['pnpm-lock.yaml', 'corepack enable && pnpm install --frozen-lockfile'],
  ['yarn.lock', 'corepack enable && yarn install'],
];

/** The installation of a project that depends on assay; null where the folder has no package.json that names it. */
export function projectInstallation(folder: string): Installation | null {
  if (!dependsOnAssay(join(folder, 'package.json'))) return null;
  const lock = LOCKED.find(([name]) => existsSync(join(folder, name)));
  return { install: lock?.[1] ?? 'npm install', command: 'npx assay' };
}

/** A package by its specification for npm: a version on a registry, a file or a URL. */
export function fetchedInstallation(spec: string): Installation {
  return { install: null, command: `npx --yes --package=${JSON.stringify(spec)} assay` };
}

function dependsOnAssay(path: string): boolean {
  if (!existsSync(path)) return false;
  let manifest: unknown;
  try {
    manifest = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // Somebody else's broken file: npm reports it better.
    return false;
  }
  if (!isJsonObject(manifest)) return false;
  const { dependencies, devDependencies } = manifest;
  return [dependencies, devDependencies].some((group) => isJsonObject(group) && 'assay' in group);
}
