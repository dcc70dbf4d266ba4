// Words for changing one exchange by hand, where no mutation fits.
export {
  withBody,
  withHeader,
  withJsonResponse,
  withResponseJson,
  withStatus,
} from '../../judge/mutations/exchanges.ts';
export { editFrame, frameData, frameWithData, withEvents } from '../../judge/mutations/streams.ts';
