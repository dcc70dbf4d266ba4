// The workflows that `assay init` writes. They read the target and the claim from assay.config.json.
import type { Installation } from './installation.ts';

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
