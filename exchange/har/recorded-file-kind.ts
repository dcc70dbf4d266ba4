/** What a file of recorded traffic is called in messages. */
export type RecordedFileKind =
  | 'HAR file'
  | 'VCR cassette'
  | 'recording of nock'
  | 'flow file'
  | 'list of requests';
