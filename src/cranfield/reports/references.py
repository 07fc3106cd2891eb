"""The works a report cites, by the section that uses them; docs/references.md has the full list."""

from __future__ import annotations

WORKS = {
    "sakai-rd003": "T. Sakai. Designing test collections that provide tight confidence intervals. "
                   "Forum on Information Technology (FIT), RD-003, 2014.",
    "sakai-evia": "T. Sakai. Topic set size design with variance estimates from two-way ANOVA. EVIA, NTCIR-11, 2014.",
    "greenhouse": "S. W. Greenhouse, S. Geisser. On methods in the analysis of profile data. Psychometrika 24, 1959.",
    "sakai-std": "T. Sakai. The effect of score standardisation on topic set size design. AIRS, 2016.",
    "webber-std": "W. Webber, A. Moffat, J. Zobel. Score standardization for inter-collection "
                  "comparison of retrieval systems. SIGIR, 2008.",
    "fisher": "R. A. Fisher. The design of experiments. Oliver and Boyd, 1935.",
    "smucker": "M. D. Smucker, J. Allan, B. Carterette. A comparison of statistical significance "
               "tests for information retrieval evaluation. CIKM, 2007.",
    "holm": "S. Holm. A simple sequentially rejective multiple test procedure. Scandinavian Journal "
            "of Statistics 6, 1979.",
    "phipson": "B. Phipson, G. K. Smyth. Permutation p-values should never be zero. Statistical "
               "Applications in Genetics and Molecular Biology 9, 2010.",
    "sakai-asl": "T. Sakai. Evaluating evaluation metrics based on the bootstrap. SIGIR, 2006.",
    "kendall": "M. G. Kendall. A new measure of rank correlation. Biometrika 30, 1938.",
    "voorhees": "E. M. Voorhees, D. Samarov, I. Soboroff. Using replicates in information retrieval "
                "evaluation. ACM TOIS 36, 2017.",
    "brennan": "R. L. Brennan. Generalizability theory. Springer, 2001.",
    "feldt": "L. S. Feldt. The approximate sampling distribution of Kuder-Richardson reliability coefficient twenty. "
             "Psychometrika 30, 1965.",
    "arteaga": "C. Arteaga, S. Jeyaratnam, G. A. Franklin. Confidence intervals for proportions of total variance "
               "in the two-way cross component of variance model. Communications in Statistics 11, 1982.",
    "urbano": "J. Urbano, M. Marrero, D. Martín. On the measurement of test collection reliability. SIGIR, 2013.",
    "zobel": "J. Zobel. How reliable are the results of large-scale information retrieval experiments? SIGIR, 1998.",
    "sakai-condensed": "T. Sakai. Alternatives to bpref. SIGIR, 2007.",
    "angelopoulos": "A. N. Angelopoulos, J. C. Duchi, T. Zrnic. PPI++: efficient prediction-powered inference. 2023.",
    "cohen": "J. Cohen. A coefficient of agreement for nominal scales. Educational and Psychological Measurement 20, "
             "1960.",
    "krippendorff": "K. Krippendorff. Computing Krippendorff's alpha-reliability. University of Pennsylvania, 2011.",
    "gwet": "K. L. Gwet. Handbook of inter-rater reliability. 4th edition, 2014.",
    "romano": "J. P. Romano, M. Wolf. Stepwise multiple testing as formalized data snooping. Econometrica 73, 2005.",
    "benjamini-heller": "Y. Benjamini, R. Heller. Screening for partial conjunction hypotheses. Biometrics 64, 2008.",
    "benjamini": "Y. Benjamini, Y. Hochberg. Controlling the false discovery rate. JRSS B 57, 1995.",
}  # fmt: skip
