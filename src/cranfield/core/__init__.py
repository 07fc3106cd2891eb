"""What everything uses: errors, files, executors, resampling, registries, questions, answers, tables, charts."""
