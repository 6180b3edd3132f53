/** Size limit of one image. */
export const maxImageBytes = 10 * 1024 * 1024;

/** Per project; 0 means unlimited. */
export interface UploadQuota {
  files: number;
  bytes: number;
}

export function isQuotaUsedUp(quota: UploadQuota, used: UploadQuota): boolean {
  return (quota.files > 0 && used.files >= quota.files) || (quota.bytes > 0 && used.bytes >= quota.bytes);
}
