export interface AfterCommit {
  committed: () => void;
}
