// Functions that edit exchanges, for mutations that `changes.ts` does not have.
export {
  editedTrace,
  editFrame,
  frameData,
  frameWithData,
  withBody,
  withEvents,
  withHeader,
  withJsonResponse,
  withResponseJson,
  withStatus,
} from '../../proof/mutations/exchanges.ts';
export { withRequest, withRequestJson } from '../../proof/mutations/requests.ts';
