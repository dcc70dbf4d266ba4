import { isLoopback } from '../../exchange/http/loopback.ts';
import type { Installation } from './installation.ts';

export interface WorkflowFacts {
  /** The target, with `/v1`. */
  readonly baseUrl: string;
  /** Environment variable of the key; null if it is not set. The key itself is never written. */
  readonly keyVariable: string | null;
  /** Shell command that starts the service; null if it runs elsewhere or the command is unknown. */
  readonly start: string | null;
  readonly installation: Installation;
  /** The baseline of the first run; null if there was no such run, or it wrote none. Default: null. */
  readonly accepted?: FirstBaseline | null;
}

export interface FirstBaseline {
  readonly path: string;
  /** Last day on which its entries hold; null if it has none, and records only choices. */
  readonly until: string | null;
}

const WAIT_SECONDS = 60;

/**
 * Third-party code in the workflows, by digest: a tag can be moved to other code. The tag next to each is
 * informational; docs/ci.md says how to renew and confirm a digest. `Dockerfile` and `templates/conformance.yml` have
 * the same image.
 */
const PINNED = {
  checkout: 'actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2',
  node: 'actions/setup-node@49933ea5288caeca8642d1e84afbd3f7d6820020 # v4.4.0',
  artifact: 'actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02 # v4.6.2',
  image: 'node:22-slim@sha256:83f487e0a63425e5b4d146fb5e5be574bcbe1b7b843d3ebafdd95eaf7767a7e5',
};

export function githubWorkflow(facts: WorkflowFacts): string {
  const { keyVariable, installation } = facts;
  // A service started by the workflow must know the key too.
  const environment =
    keyVariable === null ? '' : `        env:\n          ${keyVariable}: \${{ secrets.${keyVariable} }}\n`;
  const start = startLines(facts, '      - run: ', '      ');
  return `name: assay
on: [push, pull_request]
permissions:
  contents: read
jobs:
  conformance:
    runs-on: ubuntu-latest
    steps:
      - uses: ${PINNED.checkout}
      - uses: ${PINNED.node}
        with:
          node-version: 22
${installLine(facts, '      - run: ')}${start}${facts.start === null ? '' : environment}${strictLines(facts, '      ')}      - run: ${installation.command} run --wait-for ${WAIT_SECONDS} --report terminal,json,junit,html,markdown,github
${environment}      - if: always()
        # A run that cannot start, for example without the key, writes no report.
        run: test ! -f assay-report/summary.md || cat assay-report/summary.md >> "$GITHUB_STEP_SUMMARY"
      - if: always()
        uses: ${PINNED.artifact}
        with:
          name: assay-report
          path: assay-report
`;
}

export function gitlabJob(facts: WorkflowFacts): string {
  return `# Add to .gitlab-ci.yml:  include: { local: assay.gitlab-ci.yml }
assay:
  image: ${PINNED.image}
  script:
${installLine(facts, '    - ')}${startLines(facts, '    - ', '    ')}${strictLines(facts, '    ')}    - ${facts.installation.command} run --wait-for ${WAIT_SECONDS} --report terminal,json,junit,html
  artifacts:
    when: always
    paths: [assay-report]
    reports:
      junit: assay-report/junit.xml
`;
}

function installLine({ installation: { install } }: WorkflowFacts, step: string): string {
  return install === null ? '' : `${step}${install}\n`;
}

function strictLines({ accepted = null, installation }: WorkflowFacts, indent: string): string {
  if (accepted === null || accepted.until === null) return '';
  return [
    `# ${accepted.path} accepts what failed on the first day, until ${accepted.until}; only what is new fails. To be stricter:`,
    `#   ${installation.command} run --strict-baseline   fails for entries whose failure is gone`,
    `#   ${installation.command} run                     without "baseline" in assay.config.json: nothing is accepted`,
    `#   ${installation.command} run --fail-on should    also fails for SHOULDs, which are warnings otherwise`,
  ]
    .map((line) => `${indent}${line}\n`)
    .join('');
}

function startLines({ baseUrl, start }: WorkflowFacts, step: string, indent: string): string {
  if (start !== null) return `${step}${JSON.stringify(`${start} &`)}\n`;
  const { hostname, host } = new URL(baseUrl);
  return isLoopback(hostname)
    ? `${indent}# Start the service here, in the background: it must listen on ${host}.\n`
    : '';
}
