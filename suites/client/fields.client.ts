// Fields that a request must not have, or not together. Limits of single fields follow from the schemas.
// Unknown fields are never judged: the specification does not forbid them.
import type { Json } from '../../exchange/http/body.ts';
import { type RequestEvidence, requests, where } from '../../judge/evidence/calls.ts';
import { section } from '../../judge/requirements/define.ts';
import { isObject, numberAt } from '../../judge/trace/json.ts';
import { inEveryRequest, inRequest, withRequestJson } from '../../proof/mutations/requests.ts';
import { setValue } from '../../proof/mutations/values.ts';

const { stated } = section('1 Assistant');

/** Operations whose body has a form for each version. */
const ASSISTANTS = ['createAssistant', 'modifyAssistant'];
/** Value of both sampling settings that changes nothing. */
const USUAL = 1;

/** The field that belongs to the other version, by the name of the version. */
const OF_OTHER: Readonly<Record<string, string>> = { v1: 'tool_resources', v2: 'file_ids' };

/** The field of a request that belongs to the other version; undefined where there is none. */
function foreignField({ call, asked }: RequestEvidence): string | undefined {
  const name = OF_OTHER[call.variant?.name ?? ''];
  return name !== undefined && isObject(asked) && Object.hasOwn(asked, name) ? name : undefined;
}

/**
 * A value of null or an empty list is a mistake too: the field does not exist in the form that the header names. Which form a
 * request has is read from its header; without one nothing is said here.
 */
export const clientAssistantsOwnVersion = stated('client.assistants.own-version', {
  says: 'A client sends no field of the version of assistants that its header does not name.',
  selector: where(requests(ASSISTANTS), ({ call, asked }) => call.variant !== null && isObject(asked)),
  check: (evidence) => {
    const name = foreignField(evidence);
    if (name === undefined) return [];
    const { call, asked } = evidence;
    const actual = isObject(asked) ? asked[name] : undefined;
    return [{ at: `request /${name}`, expected: `no field that ${call.variant?.name ?? ''} lacks`, actual }];
  },
  mutations: {
    'files with v2': inEveryRequest(ASSISTANTS, (exchange) =>
      withRequestJson(exchange, setValue('/file_ids', ['file-1'])),
    ),
    'tool resources with v1': inEveryRequest(ASSISTANTS, (exchange) =>
      withRequestJson(exchange, setValue('/tool_resources', {})),
    ),
  },
});

/** Whether a sampling setting is given, and is not the usual one. */
function isChanged(asked: Json | undefined, name: string): boolean {
  const value = numberAt(asked, name);
  return value !== undefined && value !== USUAL;
}

/** It is advice, so a SHOULD. A value of 1 is the usual one of both settings and changes nothing; a null leaves the field out. */
export const clientAssistantsOneSampling = stated('client.assistants.one-sampling', {
  level: 'SHOULD',
  says: 'A client changes temperature or top_p of an assistant, not both.',
  selector: where(
    requests(ASSISTANTS),
    ({ asked }) => isChanged(asked, 'temperature') || isChanged(asked, 'top_p'),
  ),
  check: ({ asked }) =>
    isChanged(asked, 'temperature') && isChanged(asked, 'top_p')
      ? [{ at: 'request /top_p', expected: 'one of temperature and top_p', actual: numberAt(asked, 'top_p') }]
      : [],
  mutations: {
    'both low': inRequest(ASSISTANTS, setValue('/temperature', 0), setValue('/top_p', 0.5)),
    both: inRequest(ASSISTANTS, setValue('/temperature', 1.5), setValue('/top_p', 0.1)),
  },
});

const messages = section('1 Messages and message files');
/** The operation that changes a message. */
const MODIFY = ['modifyMessage'];

/** The specification names the one field that can be modified. The same of threads is left open there, so it is not judged. */
export const clientMessagesMetadataOnly = messages.stated('client.messages.metadata-only', {
  says: 'A client that modifies a message sends metadata and nothing else.',
  selector: where(requests(MODIFY), ({ asked }) => isObject(asked)),
  check: ({ asked }) => {
    const names = isObject(asked) ? Object.keys(asked) : [];
    return names
      .filter((name) => name !== 'metadata')
      .map((name) => ({
        at: `request /${name}`,
        expected: 'metadata alone',
        actual: isObject(asked) ? asked[name] : undefined,
      }));
  },
  mutations: {
    'new content': inRequest(MODIFY, setValue('/content', 'another text')),
    'new role': inRequest(MODIFY, setValue('/role', 'assistant')),
  },
});
