import { isLoopback } from '../../exchange/http/network.ts';
import { lookAtTarget } from '../../pipeline/init/look-at-target.ts';
import {
  type WorkflowKind,
  type WrittenProject,
  writeProjectFiles,
} from '../../pipeline/init/project-files.ts';
import { fetchedInstallation, projectInstallation } from '../../pipeline/init/workflows.ts';
import type { RunEvent } from '../../pipeline/run.ts';
import { packageInfo } from '../../pipeline/setup/package-info.ts';
import { present } from '../../reports/words/text.ts';
import type { Execute } from '../options/command.ts';
import { serviceUrl, settingsOf } from '../options/settings.ts';
import { columnsOf } from '../output/print-report.ts';
import { runNotice } from '../output/run-notices.ts';
import { requireNode } from '../serving/engine-tuning.ts';

interface Flags {
  readonly workflow: WorkflowKind;
  readonly start?: string;
  readonly package?: string;
  readonly force?: true;
}

/** A project with a baseline needs no advice on creating one. */
function nextSteps({ kept, ignored }: WrittenProject): readonly string[] {
  const names = Object.keys(kept);
  const { baseline } = kept;
  return present(
    names.length > 0 &&
      `kept from the earlier assay.config.json: ${names.map((name) => keptWords(name, kept[name])).join(', ')}`,
    'next: npx assay run',
    ...(baseline === undefined ? TO_BASELINE : []),
    `reports lie in assay-report/, those of other commands in assay-again/, assay-client/ and assay-watch/: ${IGNORED[ignored ?? 'nowhere']}`,
  );
}

function keptWords(name: string, value: unknown): string {
  return typeof value === 'string' ? `${name} (${value})` : name;
}

const IGNORED = {
  added: 'added to .gitignore',
  there: '.gitignore names them',
  nowhere: 'all belong in .gitignore',
} as const;

const TO_BASELINE = [
  'where it does not conform today, a baseline accepts that with a reason, and from then on only what is new fails:',
  '  npx assay check assay-report/cassette --baseline-write assay-baseline.json --baseline-reason "REASON"',
  '  then add "baseline": "assay-baseline.json" to assay.config.json',
];

/** Answers of a model that ignores images would be judged as if it looked at them. */
const IGNORES_IMAGES = (id: string) =>
  `${id} accepts images, and nothing shows that it looks at them: it is not used for what is judged with images; add "vision": "${id}" to "model" in assay.config.json if it does`;

const NOT_STARTED =
  'the workflow does not start the service: repeat this command with --start "COMMAND" --force, or add a step to it';

const FETCHED = (spec: string) =>
  `the workflow fetches ${spec} from the npm registry: where that does not have it, add assay to the dependencies of the project, or pass --package FILE.tgz; then repeat this command with --force`;

function notify(event: RunEvent): void {
  process.stderr.write(`${runNotice(event, columnsOf(process.stderr)).join('\n')}\n`);
}

export const execute: Execute<Flags> = async ({ flags, self }) => {
  const { workflow, start, package: spec, force } = flags;
  requireNode('init');
  const settings = await settingsOf(self, { claim: 'auto' });
  const usual = `assay@${packageInfo().version}`;
  const own = spec === undefined ? projectInstallation(process.cwd()) : null;
  const installation = own ?? fetchedInstallation(spec ?? usual);
  const isFromRegistry = workflow !== 'none' && own === null && spec === undefined;
  const baseUrl = await serviceUrl(settings);
  const findings = await lookAtTarget(settings, {
    onWait: (why, most) => notify({ kind: 'awaits-target', why, most }),
    onAnswers: (answers) => notify({ kind: 'looking', answers }),
  });
  // A remote service is already running.
  const needsStart = workflow !== 'none' && start === undefined && isLoopback(new URL(baseUrl).hostname);
  const { apiKey, keyVariable, dialect } = settings;
  const facts = { baseUrl, keyVariable: apiKey === null ? null : keyVariable, dialect, findings };
  const project = writeProjectFiles(
    process.cwd(),
    { ...facts, start: start ?? null, workflow, installation },
    force === true ? 'replace' : 'keep',
  );
  process.stdout.write(
    `${present(...runNotice(findings.event, columnsOf(process.stdout) ?? undefined), `written: ${project.files.join(', ')}`, isFromRegistry && FETCHED(usual), needsStart && NOT_STARTED, findings.ignoresImages !== null && IGNORES_IMAGES(findings.ignoresImages), ...nextSteps(project)).join('\n')}\n`,
  );
  return 0;
};
