import type { Route } from '../edge/route.ts';
import type { Services } from '../edge/services.ts';
import { activityStatistics, listActivity, listActivityTypes, recentActivityCount } from './activity.ts';
import { logIn, logOut, oauthConfig, signUp } from './auth.ts';
import {
  campaignStats,
  cancelCampaign,
  createCampaign,
  deleteCampaign,
  duplicateCampaign,
  getCampaign,
  listCampaigns,
  replaceCampaign,
  sendCampaign,
  testCampaign,
} from './campaigns.ts';
import { deleteContactField, getFieldUsage, listContactFields, listFieldValues } from './contact-fields.ts';
import {
  bulkDelete,
  bulkSubscribe,
  bulkUnsubscribe,
  getBulkJob,
  getImportJob,
  importContacts,
} from './contact-jobs.ts';
import {
  deleteContact,
  getContact,
  listContacts,
  lookupContacts,
  patchContact,
  upsertContact,
} from './contacts.ts';
import { addDomain, deleteDomain, listProjectDomains, verifyDomain } from './domains.ts';
import {
  deleteEvent,
  eventStatistics,
  eventUsage,
  listContactEvents,
  listEventNames,
  listEvents,
  usageOfEventContact,
} from './events.ts';
import { createProject, listProjects, regenerateKeys } from './projects.ts';
import {
  changePreferences,
  showPreferences,
  showSubscribe,
  showUnsubscribe,
  subscribe,
  unsubscribe,
} from './public-pages.ts';
import {
  addSegmentMembers,
  computeSegment,
  listSegmentContacts,
  removeSegmentMembers,
} from './segment-members.ts';
import {
  createSegment,
  deleteSegment,
  getSegment,
  listSegments,
  patchSegment,
  refreshSegment,
} from './segments.ts';
import { sendEmail } from './send.ts';
import { liftSuppression, listSuppressions } from './suppressions.ts';
import {
  createTemplate,
  deleteTemplate,
  duplicateTemplate,
  getTemplate,
  listTemplates,
  patchTemplate,
  templateUsage,
} from './templates.ts';
import { trackEvent, trackEventFromDashboard } from './track.ts';
import { currentUser } from './users.ts';
import { receiveSnsNotification } from './webhooks-sns.ts';

/** Every route of the API, in the order of the documentation. */
export const routes: readonly Route<Services>[] = [
  sendEmail,
  trackEvent,
  listContacts,
  upsertContact,
  getContact,
  patchContact,
  deleteContact,
  lookupContacts,
  listContactFields,
  listFieldValues,
  getFieldUsage,
  deleteContactField,
  importContacts,
  getImportJob,
  bulkSubscribe,
  bulkUnsubscribe,
  bulkDelete,
  getBulkJob,
  listTemplates,
  createTemplate,
  getTemplate,
  patchTemplate,
  deleteTemplate,
  duplicateTemplate,
  templateUsage,
  listCampaigns,
  createCampaign,
  getCampaign,
  replaceCampaign,
  deleteCampaign,
  duplicateCampaign,
  sendCampaign,
  cancelCampaign,
  testCampaign,
  campaignStats,
  listSegments,
  createSegment,
  getSegment,
  patchSegment,
  deleteSegment,
  listSegmentContacts,
  addSegmentMembers,
  removeSegmentMembers,
  computeSegment,
  refreshSegment,
  trackEventFromDashboard,
  listEvents,
  eventStatistics,
  listContactEvents,
  listEventNames,
  eventUsage,
  usageOfEventContact,
  deleteEvent,
  listActivity,
  activityStatistics,
  recentActivityCount,
  listActivityTypes,
  listProjectDomains,
  addDomain,
  verifyDomain,
  deleteDomain,
  signUp,
  logIn,
  logOut,
  oauthConfig,
  currentUser,
  listProjects,
  createProject,
  regenerateKeys,
  listSuppressions,
  liftSuppression,
  showUnsubscribe,
  unsubscribe,
  showSubscribe,
  subscribe,
  showPreferences,
  changePreferences,
  receiveSnsNotification,
];
