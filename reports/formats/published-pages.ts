import { plural } from '../../schemas/message-text.ts';
import { htmlPage } from '../html/document.ts';
import { html, type Markup } from '../html/markup.ts';
import { wideTable } from '../html/wide-table.ts';
import { printableReport } from '../printable-report.ts';
import type { Report } from '../report.ts';
import { scoreLine, verdictSentence } from '../verdict-words.ts';

/** `published.json`: the data of a published folder that its report lacks. */
export interface Publication {
  readonly format: 1;
  readonly command: string;
  /** Day in UTC, such as `2027-02-22`. */
  readonly published: string;
  /** Last day in UTC on which the publication is current. */
  readonly expires: string;
}

/** `index.html` of a published folder. It loads nothing, and links only to files of this folder. */
export function publicationPage(rawReport: Report, { command, published, expires }: Publication): string {
  const report = printableReport(rawReport);
  const { target, tool, date = null, dialect, claims } = report;
  const facts: readonly (readonly [string, string])[] = [
    ['service', target.baseUrl],
    ['claimed', claims.join(', ') || 'what was called'],
    ['dialect', dialect.name],
    ['recorded', date ?? 'at an unknown time'],
    ['judged by', `${tool.name} ${tool.version}`],
    ['published', published],
    ['expires', `${expires}: a service changes, so record and judge it again by then`],
  ];
  const body = html`<main id="main"><h1>${verdictSentence(report)}</h1>
<p>${scoreLine(report)}</p>
${wideTable('Facts', ['what', 'value'], facts)}
<h2>Judge this yourself</h2>
<p>The verdict can be checked: it follows from the recorded traffic alone, which is in the folder <a href="cassette/cassette.jsonl">cassette</a> next to this page. Only the publisher can say where and when the traffic was recorded. Copy this folder, and run this command in it:</p>
<pre>${command}</pre>
<p>It needs neither the service nor a key, and gives the same verdict. It fetches assay from the npm registry; if yours does not have it, install the package from a file, and leave out the version in the command.</p>
<h2>More</h2>
<ul>${link('report.html', 'every finding and every requirement')}${link('support.html', 'what the service does with each field of each request')}${link('report.json', 'the machine-readable report')}</ul></main>`;
  return htmlPage(`assay: ${verdictSentence(report)}`, body, null);
}

function link(file: string, what: string): Markup {
  return html`<li><a href="${file}">${file}</a>: ${what}</li>`;
}

export interface PublishedFolder {
  readonly folder: string;
  readonly report: Report;
  readonly publication: Publication;
}

/** `today`: the day in UTC; folders whose `expires` is earlier have expired. */
export function publicationIndex(folders: readonly PublishedFolder[], today: string): string {
  const rows = folders.map(({ folder, report: rawReport, publication: { expires } }) => {
    const report = printableReport(rawReport);
    const { tool, date = null } = report;
    const page = folder.split('/').map(encodeURIComponent).join('/');
    return [
      html`<a href="${page}/index.html">${folder}</a>`,
      report.target.baseUrl,
      verdictSentence(report),
      scoreLine(report),
      date?.slice(0, 10) ?? 'unknown',
      expires < today ? `expired on ${expires}` : expires,
      `${tool.name} ${tool.version}`,
    ];
  });
  const head = ['service', 'URL', 'verdict', 'score', 'recorded', 'expires', 'judged by'];
  const body = html`<main id="main"><h1>${plural(folders.length, 'judged service')}</h1>
<p>Each page has the recorded traffic of its service and the command that judges it again.</p>
${wideTable('Services', head, rows, 'stack')}</main>`;
  return htmlPage('assay: judged services', body, null);
}
