# The margins that simIReff 1.0 fits to AP scores, for `docs/sigir2019.py --margins DIRECTORY`:
#
#     for year in 5 6 7 8; do
#       Rscript docs/sigir2019_margins.R ../shared/data/matrices/trec$year-adhoc.AP.csv DIRECTORY/trec$year-adhoc.AP.csv
#     done
#
# Runs that copy another are left out, and then those below the lowest tenth of the means. A column per run: its quantiles at
# (k − ½)/2000. Some four minutes in all. Of the packages that simIReff names, np and rvinecopulib are not needed for this.
library(simIReff)

files <- commandArgs(trailingOnly = TRUE)
scores <- read.csv(files[1])[, -1]
scores <- scores[!duplicated(as.list(scores))]
means <- colMeans(scores)
scores <- scores[means >= quantile(means, 0.1)]
set.seed(ncol(scores))
fitted <- lapply(scores, effContFitAndSelect, method = "AIC")
write.csv(as.data.frame(lapply(fitted, function(one) qeff((1:2000 - 0.5) / 2000, one))), files[2], row.names = FALSE)
print(table(sapply(fitted, function(one) one$model$type)))
