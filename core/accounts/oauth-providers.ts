export const oauthProviderNames = ['google', 'github'] as const;
export type OAuthProviderName = (typeof oauthProviderNames)[number];
