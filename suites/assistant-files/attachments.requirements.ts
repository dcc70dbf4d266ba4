import { showsExistence } from '../files/file.ts';
import { isWholeList } from '../generate/lists.ts';
import { withoutDeletedFiles } from '../generate/objects.ts';
import { inEveryCall, inResponseWhere, setIn, setValue, succeedInstead } from '../vocabulary/changes.ts';
import { follow, LruMap } from '../vocabulary/collecting.ts';
import { withBody, withStatus } from '../vocabulary/exchanges.ts';
import { arrayAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import {
  decided,
  namesNothingIn,
  requests,
  settled,
  successions,
  that,
  where,
} from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type {
  Call,
  CallSuccession,
  Evidence,
  Exchange,
  Mutation,
  Selector,
  SuccessionPlan,
  Violation,
} from '../vocabulary/types.ts';

const { stated, implied } = section('1 Assistant files');

const MOST = 20;

export const assistantFilesCreateInFileIds = implied('assistant-files.create.in-file-ids', {
  says: 'An attached file is in the file_ids of its assistant.',
  selector: withoutDeletedFiles(
    afterTie('createAssistantFile', ['deleteAssistantFile', 'modifyAssistant']),
    isAmongThem,
  ),
  check: isAmongThem,
  mutations: {
    'none at all': setIn('retrieveAssistant', '/file_ids', []),
    'others in its place': setIn('retrieveAssistant', '/file_ids/*', 'file_of_another'),
  },
});

export const assistantFilesDeleteLeavesFileIds = implied('assistant-files.delete.leaves-file-ids', {
  says: 'A detached file is no longer in the file_ids of its assistant.',
  selector: afterTie('deleteAssistantFile', ['createAssistantFile', 'modifyAssistant']),
  check: ({ before, after }) => {
    const id = before.path['file_id'] ?? '';
    return fileIds(after).includes(id) ? [violation('/file_ids', `no ${id}`, fileIds(after))] : [];
  },
  mutations: {
    'still among them': (trace) => setIn('retrieveAssistant', '/file_ids', detachedIn(trace))(trace),
    'behind the others': (trace) =>
      setIn('retrieveAssistant', '/file_ids', (ids) => [...arrayAt(ids), ...detachedIn(trace)])(trace),
  },
});

const assistantFilesModifyLeftOutIsDetachedMutations: Readonly<Record<string, Mutation>> = {
  'still attached': succeedInstead('retrieveAssistantFile', () => ({ id: 'still_there' })),
  'marked as detached': succeedInstead('retrieveAssistantFile', () => ({ id: 'still_there', deleted: true })),
};

const ofLeftOut = that<CallSuccession>(
  'of a file that the modification leaves out of file_ids, with a conclusive outcome',
  ({ before, after }) => {
    const named = arrayAt(before.requestJson, 'file_ids');
    const isLeftOut =
      valueAtPath(before.requestJson, 'file_ids') !== undefined &&
      !named.includes(after.path['file_id'] ?? '');
    return before.variant?.name === 'v1' && isLeftOut && showsExistence(after);
  },
);

export const assistantFilesModifyLeftOutIsDetached = stated('assistant-files.modify.left-out-is-detached', {
  spec: '1 Assistants',
  says: 'A file that a modification omits from file_ids is no longer attached.',
  selector: where(
    ofFiles({
      first: 'modifyAssistant',
      later: 'retrieveAssistantFile',
      until: ['createAssistantFile', 'modifyAssistant'],
      about: assistantOf,
    }),
    ofLeftOut,
  ),
  check: isTakenUp,
  mutations: assistantFilesModifyLeftOutIsDetachedMutations,
});

const inFull = that<CallSuccession>(
  'that lists everything',
  ({ before, after }) => before.variant?.name === 'v1' && isWholeList(after),
);

export const assistantFilesListAsFileIds = implied('assistant-files.list.as-file-ids', {
  says: 'The files that are listed for an assistant are those in its file_ids.',
  selector: withoutDeletedFiles(
    where(
      ofFiles({
        first: ['createAssistant', 'retrieveAssistant', 'modifyAssistant'],
        later: 'listAssistantFiles',
        until: ['createAssistantFile', 'deleteAssistantFile', 'modifyAssistant'],
        about: assistantOf,
      }),
      inFull,
    ),
    areTheFiles,
  ),
  check: areTheFiles,
  mutations: {
    'none of them': inResponseWhere('listAssistantFiles', () => true, setValue('/data', [])),
    'one more': setIn('listAssistantFiles', '/data', (data) => [...arrayAt(data), { id: 'file_of_another' }]),
  },
});

const assistantFilesCreateAtMost20Mutations: Readonly<Record<string, Mutation>> = {
  'attached all the same': succeedInstead('createAssistantFile', () => ({ id: 'one_too_many' })),
  'accepted, and nothing said': succeedInstead('createAssistantFile', () => ({})),
};

const ofFurther = that<CallSuccession>(
  `of a further file beside ${MOST}, with a conclusive outcome`,
  ({ before, after }) => {
    const there = new Set(fileIds(before));
    const file = textAt(after.requestJson, 'file_id');
    const isFurther = file !== undefined && !there.has(file) && after.exchange.probe === null;
    return before.variant?.name === 'v1' && there.size === MOST && isFurther && showsExistence(after);
  },
);

export const assistantFilesCreateAtMost20 = implied('assistant-files.create.at-most-20', {
  spec: '1 Limits',
  says: 'A 21st file cannot be attached to an assistant.',
  // The specification does not say whether a deleted file still counts.
  selector: withoutDeletedFiles(
    where(
      ofFiles({
        first: ['createAssistant', 'retrieveAssistant', 'modifyAssistant'],
        later: 'createAssistantFile',
        until: ['deleteAssistantFile', 'modifyAssistant'],
        about: assistantOf,
      }),
      ofFurther,
    ),
    isTakenUp,
  ),
  check: isTakenUp,
  mutations: assistantFilesCreateAtMost20Mutations,
});

function detachedIn(trace: readonly Exchange[]): readonly string[] {
  return trace.flatMap(({ request }) =>
    request.method === 'DELETE' ? [request.target.split('/').at(-1) ?? ''] : [],
  );
}

function isTakenUp({ after }: CallSuccession): readonly Violation[] {
  return after.responseClass === 'accepted' ? [violation('status', 'no 2xx', after.status)] : [];
}

function isAmongThem({ before, after }: CallSuccession): readonly Violation[] {
  const id = textAt(before.requestJson, 'file_id');
  return fileIds(after).includes(id ?? '') ? [] : [violation('/file_ids', `${id}`, fileIds(after))];
}

function areTheFiles({ before, after }: CallSuccession): readonly Violation[] {
  const wanted = fileIds(before).toSorted();
  const actual = arrayAt(after.responseJson, 'data').map((file) => textAt(file, 'id') ?? '');
  const isSame = JSON.stringify(actual.toSorted()) === JSON.stringify(wanted);
  return isSame ? [] : [violation('/data', JSON.stringify(wanted), actual)];
}

function ofFiles(plan: SuccessionPlan & { readonly later: string }): Selector<CallSuccession> {
  const successive = successions(plan);
  return {
    ...successive,
    operations: [plan.later, ...successive.operations.filter((id) => id !== plan.later)],
  };
}

function afterTie(first: string, until: readonly string[]) {
  const successive = successions({ first, later: 'retrieveAssistant', until, about: assistantOf });
  return where(
    successive,
    that(
      'that shows file_ids',
      ({ after }) =>
        after.variant?.name === 'v1' && valueAtPath(after.responseJson, 'file_ids') !== undefined,
    ),
  );
}

function assistantOf({ path, operation, responseJson: answer }: Call): string | undefined {
  return operation.id === 'createAssistant' ? textAt(answer, 'id') : path['assistant_id'];
}

function fileIds({ responseJson: answer }: Call): readonly string[] {
  return arrayAt(answer, 'file_ids').filter((id) => typeof id === 'string');
}

interface Attachment extends Evidence {
  readonly call: Call;
  readonly purpose: string;
}

const attachments: Selector<Attachment> = follow(
  ['createAssistantFile', 'createFile'],
  () => {
    const purposes = new LruMap<{ readonly purpose: string; readonly call: Call }>();
    return (call) => {
      if (call.operation.id === 'createFile') {
        const id = textAt(call.responseJson, 'id');
        const stated = textAt(call.responseJson, 'purpose');
        if (id !== undefined && stated !== undefined) purposes.set(id, { purpose: stated, call });
        return [];
      }
      const file = purposes.get(textAt(call.requestJson, 'file_id') ?? '');
      if (file === undefined) return [];
      return [{ call, purpose: file.purpose, exchanges: [file.call.exchange, call.exchange] }];
    };
  },
  'an attachment of a file whose upload was answered with its purpose',
);

export const assistantFilesCreateNeedsPurpose = implied('assistant-files.create.needs-purpose', {
  says: 'Only a file that was uploaded with the purpose assistants can be attached.',
  selector: where(
    attachments,
    decided,
    that('with a purpose other than assistants', ({ purpose }) => purpose !== 'assistants'),
  ),
  check: ({ call, purpose }) => wronglyAccepted(call, `the purpose of the file is ${purpose}`),
  mutations: {
    accepted: succeedInstead('createAssistantFile', () => ({ id: 'file_of_any_purpose' })),
    'accepted without a word': succeedSilently,
  },
});

export const assistantFilesCreateNeedsFile = implied('assistant-files.create.needs-file', {
  says: 'A file that does not exist cannot be attached.',
  selector: where(requests('createAssistantFile'), namesNothingIn('body.file_id'), settled),
  check: ({ call }) => wronglyAccepted(call, 'the file does not exist'),
  mutations: {
    accepted: succeedInstead('createAssistantFile', () => ({ id: 'file_of_nobody' })),
    'accepted without a word': succeedSilently,
  },
});

function succeedSilently(trace: readonly Exchange[]) {
  return inEveryCall('createAssistantFile', (exchange) =>
    (exchange.response?.status ?? 0) >= 400 ? withStatus(withBody(exchange, ''), 204) : exchange,
  )(trace);
}

function wronglyAccepted({ responseClass, status }: Call, why: string): Violation[] {
  return responseClass === 'accepted' ? [violation('status', `a rejection, ${why}`, status)] : [];
}
