"""The simulated IDE: documents, workspace, sandbox, terminals and the journal. It knows nothing of agents or tasks."""
