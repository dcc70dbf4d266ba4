// Functions that change exchanges by hand where no mutation fits.
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
