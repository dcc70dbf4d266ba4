// Run by action.yml: `action-comment.mjs FILE NAME` posts a file as the comment NAME on the pull request, or updates
// the comment of an earlier run. A run that wrote no file is reported as such, because the comment would otherwise show
// an old verdict. Problems are only warnings, so that a comment never fails a job.
import { existsSync, readFileSync } from 'node:fs';

const [file = '', name = ''] = process.argv.slice(2);
const { env } = process;
const api = env.GITHUB_API_URL ?? 'https://api.github.com';
const repository = `${api}/repos/${env.GITHUB_REPOSITORY}`;
/** Hidden in the comment, which is found by this marker and its author. */
const marker = `<!-- assay ${name.replaceAll('--', '- -')} -->`;
/** Maximum length of the text: the limit of GitHub for a comment, minus marker and links. */
const MAX_LENGTH = 64_000;
const PER_PAGE = 100;
/** Statuses of GitHub for a token that lacks a permission; 404 hides things that it may not see. */
const REFUSALS = new Set([401, 403, 404]);

async function sendRequest(method, url, body) {
  const headers = { accept: 'application/vnd.github+json', authorization: `Bearer ${env.GITHUB_TOKEN}` };
  const init = body === undefined ? {} : { body: JSON.stringify({ body }) };
  const response = await fetch(url, { method, headers, ...init });
  if (!response.ok)
    throw Object.assign(new Error(`${method} ${url}: ${response.status}`), { status: response.status });
  return response.json();
}

/** Id of the user whose token this is. The token of a job belongs to a bot, for which GitHub refuses the request. */
const readOwnId = () =>
  sendRequest('GET', `${api}/user`).then(
    ({ id }) => id,
    () => null,
  );

/** Finds our comment. Anybody may write the marker, so its author must be a bot, or the user of our token. */
async function findOwn(comments) {
  let ownId;
  for (const comment of comments.filter(({ body }) => body?.startsWith(marker))) {
    if (comment.user?.type === 'Bot') return comment;
    ownId ??= readOwnId();
    if (comment.user != null && comment.user.id === (await ownId)) return comment;
  }
  return undefined;
}

async function findEarlierComment(number) {
  for (let page = 1; ; page += 1) {
    const url = `${repository}/issues/${number}/comments?per_page=${PER_PAGE}&page=${page}`;
    const comments = await sendRequest('GET', url);
    const ownComment = await findOwn(comments);
    if (ownComment !== undefined || comments.length < PER_PAGE) return ownComment;
  }
}

/** Reads the report. Without an exit code the run never ended, and the file is from an earlier run. */
function readReport() {
  if (!env.EXIT_CODE) return '### assay: this run gave no verdict (it did not start, or was stopped)\n';
  if (!existsSync(file)) return `### assay: this run gave no verdict (exit ${env.EXIT_CODE})\n`;
  return readFileSync(file, 'utf8');
}

function formatComment({ pull_request: pull }) {
  const text = readReport();
  const shownText =
    text.length > MAX_LENGTH ? `${text.slice(0, text.lastIndexOf('\n', MAX_LENGTH))}\n\n…\n` : text;
  const run = `${env.GITHUB_SERVER_URL}/${env.GITHUB_REPOSITORY}/actions/runs/${env.GITHUB_RUN_ID}`;
  // GITHUB_SHA is the merge of the pull request into its base, which nobody pushed.
  const commit = (pull.head?.sha ?? env.GITHUB_SHA)?.slice(0, 7);
  return `${marker}\n${shownText}\n[Summary, annotations and report of this run](${run}), commit ${commit}\n`;
}

async function postComment() {
  const event = JSON.parse(readFileSync(env.GITHUB_EVENT_PATH ?? '', 'utf8'));
  const number = event.pull_request?.number;
  if (number === undefined) return 'no comment: this run does not belong to a pull request';
  const body = formatComment(event);
  const earlier = await findEarlierComment(number);
  if (earlier === undefined) await sendRequest('POST', `${repository}/issues/${number}/comments`, body);
  else await sendRequest('PATCH', `${repository}/issues/comments/${earlier.id}`, body);
  return `${earlier === undefined ? 'posted' : 'updated'} the comment on pull request ${number}`;
}

try {
  console.log(await postComment());
} catch (error) {
  const why = error instanceof Error ? error.message : String(error);
  const advice = REFUSALS.has(error?.status)
    ? ' It needs permissions: pull-requests: write, which pull requests from forks do not get.'
    : '';
  console.log(`::warning title=assay::No comment on the pull request (${why}).${advice}`);
}
