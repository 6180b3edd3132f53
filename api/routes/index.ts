import type { Route } from '../edge/route.ts';
import { confirmEmail, requestPasswordReset, requestVerification, resetPassword } from './account-links.ts';
import {
  showInvitation,
  showResetPassword,
  showReturn,
  showVerifyEmail,
  submitInvitation,
  submitResetPassword,
  submitVerifyEmail,
} from './account-pages.ts';
import {
  activityStatistics,
  listActivity,
  listActivityTypes,
  listUpcomingActivity,
  recentActivityCount,
} from './activity.ts';
import { campaignStatistics, readTimeseries, topCampaigns, topEvents } from './analytics.ts';
import { logIn, logInOnce, logOut, signUp } from './auth.ts';
import {
  changeBillingLimits,
  listInvoices,
  openBillingPortal,
  openCheckout,
  showBillingConsumption,
  showBillingLimits,
} from './billing.ts';
import { campaignAudience, previewAudience } from './campaign-audience.ts';
import { listCampaignLinks, listCampaignRecipients } from './campaign-recipients.ts';
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
import { showConfig } from './config.ts';
import { deleteContactField, getFieldUsage, listContactFields, listFieldValues } from './contact-fields.ts';
import {
  bulkDelete,
  bulkSubscribe,
  bulkUnsubscribe,
  getBulkJob,
  getImportErrors,
  getImportJob,
  importContacts,
} from './contact-jobs.ts';
import {
  deleteContact,
  exportContacts,
  getContact,
  listContacts,
  lookupContacts,
  patchContact,
  upsertContact,
} from './contacts.ts';
import { addDomain, deleteDomain, listProjectDomains, verifyDomain } from './domains.ts';
import { previewCampaign, previewTemplate } from './email-preview.ts';
import { getEmail, listEmails } from './emails.ts';
import {
  deleteEvent,
  eventStatistics,
  eventUsage,
  listContactEvents,
  listEventNames,
  listEvents,
  usageOfEventContact,
} from './events.ts';
import { showInboundEmail } from './inbound.ts';
import { finishOAuth, oauthConfig, startOAuth } from './oauth.ts';
import { deleteProject, findReset, resetProject } from './project-erasure.ts';
import {
  changeMemberRole,
  inviteMember,
  listProjectMembers,
  removeProjectMember,
} from './project-members.ts';
import { ownProjectSecurity, projectSecurity, projectSetupState } from './project-overview.ts';
import { readWebhookSecret, rotateWebhookSecret } from './project-webhook-secret.ts';
import { changeProject, createProject, listProjects, regenerateKeys } from './projects.ts';
import {
  changePreferences,
  showPreferences,
  showSubscribe,
  showUnsubscribe,
  subscribe,
  unsubscribe,
} from './public-pages.ts';
import { listRequests } from './requests.ts';
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
  previewSegment,
  refreshSegment,
} from './segments.ts';
import { sendEmail } from './send.ts';
import { endOtherSessions, endSession, listSessions } from './sessions.ts';
import { liftSuppression, listSuppressions } from './suppressions.ts';
import {
  createTemplate,
  deleteTemplate,
  duplicateTemplate,
  getTemplate,
  listTemplates,
  patchTemplate,
  templateUsage,
  testTemplate,
} from './templates.ts';
import { trackEvent, trackEventFromDashboard } from './track.ts';
import { deleteImage, listUploads, showImage, uploadImage } from './uploads.ts';
import { currentUser } from './users.ts';
import { verifyEmail } from './verify.ts';
import { receiveSnsNotification } from './webhooks-sns.ts';
import { receiveStripeNotification } from './webhooks-stripe.ts';
import {
  cancelAllExecutions,
  cancelExecution,
  getExecution,
  listExecutions,
  startExecution,
} from './workflow-executions.ts';
import { createStep, createTransition, deleteStep, deleteTransition, patchStep } from './workflow-graphs.ts';
import { duplicateWorkflow, workflowStatistics } from './workflow-overview.ts';
import {
  createWorkflow,
  deleteWorkflow,
  getWorkflow,
  listWorkflowFields,
  listWorkflows,
  patchWorkflow,
} from './workflows.ts';

/** In the order of the documentation. */
export const routes: readonly Route[] = [
  sendEmail,
  trackEvent,
  verifyEmail,
  listEmails,
  getEmail,
  listContacts,
  exportContacts,
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
  getImportErrors,
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
  previewTemplate,
  testTemplate,
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
  previewCampaign,
  previewAudience,
  campaignAudience,
  listCampaignRecipients,
  listCampaignLinks,
  listSegments,
  createSegment,
  previewSegment,
  getSegment,
  patchSegment,
  deleteSegment,
  listSegmentContacts,
  addSegmentMembers,
  removeSegmentMembers,
  computeSegment,
  refreshSegment,
  listWorkflows,
  listWorkflowFields,
  createWorkflow,
  getWorkflow,
  patchWorkflow,
  deleteWorkflow,
  duplicateWorkflow,
  workflowStatistics,
  createStep,
  patchStep,
  deleteStep,
  createTransition,
  deleteTransition,
  startExecution,
  listExecutions,
  getExecution,
  cancelExecution,
  cancelAllExecutions,
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
  listUpcomingActivity,
  recentActivityCount,
  listActivityTypes,
  readTimeseries,
  topCampaigns,
  campaignStatistics,
  topEvents,
  listRequests,
  listProjectDomains,
  addDomain,
  verifyDomain,
  deleteDomain,
  uploadImage,
  listUploads,
  deleteImage,
  showImage,
  showConfig,
  signUp,
  logIn,
  logInOnce,
  logOut,
  listSessions,
  endSession,
  endOtherSessions,
  oauthConfig,
  startOAuth,
  finishOAuth,
  confirmEmail,
  requestVerification,
  requestPasswordReset,
  resetPassword,
  currentUser,
  listProjects,
  createProject,
  changeProject,
  deleteProject,
  resetProject,
  findReset,
  regenerateKeys,
  openCheckout,
  openBillingPortal,
  listInvoices,
  showBillingLimits,
  changeBillingLimits,
  showBillingConsumption,
  ownProjectSecurity,
  projectSetupState,
  projectSecurity,
  readWebhookSecret,
  rotateWebhookSecret,
  listProjectMembers,
  inviteMember,
  changeMemberRole,
  removeProjectMember,
  listSuppressions,
  liftSuppression,
  showInboundEmail,
  showVerifyEmail,
  submitVerifyEmail,
  showResetPassword,
  submitResetPassword,
  showInvitation,
  submitInvitation,
  showReturn,
  showUnsubscribe,
  unsubscribe,
  showSubscribe,
  subscribe,
  showPreferences,
  changePreferences,
  receiveSnsNotification,
  receiveStripeNotification,
];
