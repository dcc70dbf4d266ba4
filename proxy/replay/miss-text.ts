import { briefJson } from '../../exchange/printable.ts';
import type { NearestRecording, ReplayMiss } from './replay-miss.ts';

/** Header fields of the response to a miss: without them, clients take 501 for a transient error and retry. */
export const MISS_FIELDS = { 'x-should-retry': 'false' };

const HEADLINES: Readonly<Record<ReplayMiss['code'], string>> = {
  miss: 'No recorded exchange answers',
  exhausted: 'All recordings have been used for',
  'cut-off': 'The recorder was stopped before the end of the response to',
  upgrade: 'Upgraded connections are not replayed:',
  connect: 'Connections through the proxy are not replayed:',
};

const MAX_VALUE_LENGTH = 200;
const MAX_PLACES = 3;

export function missAnswer(miss: ReplayMiss): { readonly message: string; readonly more: object } {
  const { code, method, target, nearest, rules, again } = miss;
  const [closest] = nearest;
  const label = code === 'miss' ? 'Nearest' : 'Recorded';
  const closestText = closest === undefined ? '' : ` ${label}: ${nearestText(closest)}.`;
  const message = `${HEADLINES[code]} ${method} ${target}.${closestText}`;
  return { message, more: { nearest, rules, again } };
}

function nearestText({ exchange, method, target, differences }: NearestRecording): string {
  const places = differences.slice(0, MAX_PLACES).map(({ at }) => at);
  const ellipsis = differences.length > MAX_PLACES ? ', …' : '';
  return `${exchange} ${method} ${target}${places.length === 0 ? '' : `, which differs in ${places.join(', ')}${ellipsis}`}`;
}

export function missText({ code, method, target, nearest, rules, again }: ReplayMiss): string {
  const lines = [
    `${HEADLINES[code]}${code === 'upgrade' || code === 'connect' ? '' : ' '} ${method} ${target}`,
    ...nearest
      .slice(0, 1)
      .flatMap((recording) => [
        `      cassette  ${recording.cassette}`,
        `      ${code === 'miss' ? 'nearest ' : 'recorded'}  ${recording.exchange}  ${recording.method} ${recording.target}`,
        ...recording.differences.flatMap(({ at, recorded, asked }) => [
          `      at        ${at}`,
          `      recorded  ${briefJson(recorded, MAX_VALUE_LENGTH)}`,
          `      asked     ${briefJson(asked, MAX_VALUE_LENGTH)}`,
        ]),
      ]),
    ...(rules === null ? [] : [`      rules     ${rules}`]),
    `      again     ${again}`,
  ];
  return lines.join('\n');
}
