/** A service of Amazon, or one that speaks its protocol. */
export interface AwsAccess {
  region: string;
  /** Undefined: Amazon's. */
  endpoint: string | undefined;
  /** Undefined: the default AWS credential chain. */
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined;
}

/** Its part of the settings of an SDK client. */
export const accessSettings = ({ region, endpoint, credentials }: AwsAccess) => ({
  region,
  ...(endpoint !== undefined && { endpoint }),
  ...(credentials && { credentials }),
});
